import { contentEndpoints } from '#contract/content.ts';
import { contentSheet } from '#contract/record-columns.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendTable } from '#server/core/table.ts';
import { contentStore } from './content.store.ts';

export const contentRoutes = (serve: Serve): void => {
  serve(contentEndpoints.list, ({ db, body }) => contentStore(db).list(body));
  serve(contentEndpoints.published, ({ db }) => contentStore(db).published());
  serve(contentEndpoints.export, (call) =>
    sendTable(call, contentSheet, contentStore(call.db).all(call.body)),
  );
  serve(contentEndpoints.add, async ({ db, caller, body, now, note }) => {
    needsEveryProject(caller.scope);
    const added = await contentStore(db).add(body, caller.userId, new Date(now));
    note(added);
    return added;
  });
  serve(contentEndpoints.edit, ({ db, caller, body, now }) => {
    needsEveryProject(caller.scope);
    return contentStore(db).edit(body, new Date(now));
  });
  serve(contentEndpoints.remove, ({ db, caller, body }) => {
    needsEveryProject(caller.scope);
    return contentStore(db).remove(body.ids);
  });
};
