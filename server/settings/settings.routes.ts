import { settingsEndpoints } from '#contract/settings.ts';
import type { Serve } from '#server/core/serve.ts';
import { changeSetting, settingHistory, settingRows } from './settings.store.ts';

export const settingsRoutes = (serve: Serve): void => {
  serve(settingsEndpoints.list, async ({ db }) => ({ list: await settingRows(db) }));
  serve(settingsEndpoints.set, async ({ db, body: { name, value }, caller, now, note }) => {
    note(await changeSetting(db, { name, value, by: caller, now }));
    return (await settingRows(db)).find((row) => row.name === name)!;
  });
  serve(settingsEndpoints.history, async ({ db, body: { name } }) => ({
    list: await settingHistory(db, name),
  }));
};
