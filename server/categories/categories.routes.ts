import { categoryEndpoints } from '#contract/categories.ts';
import { categorySheet } from '#contract/record-columns.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendTable } from '#server/core/table.ts';
import { categoryOptions, categoryStore } from './categories.store.ts';

export const categoryRoutes = (serve: Serve): void => {
  serve(categoryEndpoints.list, ({ db, caller, body }) => categoryStore(db, caller).list(body));
  serve(categoryEndpoints.options, ({ db }) => categoryOptions(db));
  serve(categoryEndpoints.export, (call) =>
    sendTable(call, categorySheet, categoryStore(call.db, call.caller).all(call.body)),
  );
  serve(categoryEndpoints.add, async ({ db, caller, body, now, note }) => {
    const added = await categoryStore(db, caller).add(body, new Date(now));
    note(added);
    return added;
  });
  serve(categoryEndpoints.edit, ({ db, caller, body }) => categoryStore(db, caller).edit(body));
  serve(categoryEndpoints.remove, ({ db, caller, body, language }) =>
    categoryStore(db, caller).remove(body.ids, language),
  );
};
