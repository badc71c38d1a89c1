import { categoryEndpoints } from '#contract/categories.ts';
import { categorySheet } from '#contract/record-columns.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendSpreadsheet, sheetFrom } from '#server/core/spreadsheet.ts';
import { zoneOf } from '#server/core/zone.ts';
import { categoryOptions, categoryStore } from './categories.store.ts';

export const categoryRoutes = (serve: Serve): void => {
  serve(categoryEndpoints.list, ({ db, caller, body }) => categoryStore(db, caller).list(body));
  serve(categoryEndpoints.options, ({ db }) => categoryOptions(db));
  serve(categoryEndpoints.export, async ({ db, caller, body, language, reply }) =>
    sendSpreadsheet(
      reply,
      categorySheet.name[language],
      sheetFrom(categorySheet, categoryStore(db, caller).all(body), language, await zoneOf(db, caller.scope)),
    ),
  );
  serve(categoryEndpoints.add, async ({ db, caller, body, now, note }) => {
    const added = await categoryStore(db, caller).add(body, new Date(now));
    note(added);
    return added;
  });
  serve(categoryEndpoints.edit, ({ db, caller, body }) => categoryStore(db, caller).edit(body));
  serve(categoryEndpoints.remove, ({ db, caller, body }) => categoryStore(db, caller).remove(body.ids));
};
