import { settingsEndpoints } from '#contract/settings.ts';
import type { FixedSettings } from '#server/core/map.ts';
import type { Serve } from '#server/core/serve.ts';
import { changeSetting, settingHistory, settingRows } from './settings.store.ts';

export const settingsRoutes = (serve: Serve, fixed: FixedSettings): void => {
  serve(settingsEndpoints.list, async ({ db }) => ({ list: await settingRows(db, fixed) }));
  serve(settingsEndpoints.set, async ({ db, body: { name, value }, caller, now, note }) => {
    note(await changeSetting(db, { name, value, by: caller, now, fixed }));
    return (await settingRows(db, fixed)).find((row) => row.name === name)!;
  });
  serve(settingsEndpoints.history, async ({ db, body: { name } }) => ({
    list: await settingHistory(db, name),
  }));
};
