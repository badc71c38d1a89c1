import { categoryEndpoints } from '#contract/categories.ts';
import { categorySheet } from '#contract/record-columns.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendTable } from '#server/core/table.ts';
import { categoryOptions, categoryStore } from './categories.store.ts';

export const categoryRoutes = (serve: Serve): void => {
  serve(categoryEndpoints.list, ({ db, caller, body }) => categoryStore(db, caller.scope).list(body));
  serve(categoryEndpoints.options, ({ db }) => categoryOptions(db));
  serve(categoryEndpoints.export, (call) =>
    sendTable(call, categorySheet, categoryStore(call.db, call.caller.scope).all(call.body)),
  );
  serve(categoryEndpoints.add, async ({ db, caller, body, now, note }) => {
    needsEveryProject(caller.scope);
    const added = await categoryStore(db, caller.scope).add(body, new Date(now));
    note(added);
    return added;
  });
  serve(categoryEndpoints.edit, ({ db, caller, body }) => {
    needsEveryProject(caller.scope);
    return categoryStore(db, caller.scope).edit(body);
  });
  serve(categoryEndpoints.remove, ({ db, caller, body, language }) => {
    needsEveryProject(caller.scope);
    return categoryStore(db, caller.scope).remove(body.ids, language);
  });
};
