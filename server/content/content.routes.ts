import { contentEndpoints } from '#contract/content.ts';
import { contentSheet } from '#contract/record-columns.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendSpreadsheet, sheetFrom } from '#server/core/spreadsheet.ts';
import { zoneOf } from '#server/core/zone.ts';
import { contentStore } from './content.store.ts';

export const contentRoutes = (serve: Serve): void => {
  serve(contentEndpoints.list, ({ db, body }) => contentStore(db).list(body));
  serve(contentEndpoints.published, ({ db }) => contentStore(db).published());
  serve(contentEndpoints.export, async ({ db, caller, body, language, reply }) =>
    sendSpreadsheet(
      reply,
      contentSheet.name[language],
      sheetFrom(contentSheet, contentStore(db).all(body), language, await zoneOf(db, caller.scope)),
    ),
  );
  serve(contentEndpoints.add, async ({ db, caller, body, now, note }) => {
    const added = await contentStore(db).add(body, caller.userId, new Date(now));
    note(added);
    return added;
  });
  serve(contentEndpoints.edit, ({ db, body, now }) => contentStore(db).edit(body, new Date(now)));
  serve(contentEndpoints.remove, ({ db, body }) => contentStore(db).remove(body.ids));
};
