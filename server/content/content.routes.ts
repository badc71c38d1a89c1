import { contentEndpoints } from '#contract/content.ts';
import { contentSheet } from '#contract/record-columns.ts';
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
    const added = await contentStore(db).add(body, caller.userId, new Date(now));
    note(added);
    return added;
  });
  serve(contentEndpoints.edit, ({ db, body, now }) => contentStore(db).edit(body, new Date(now)));
  serve(contentEndpoints.remove, ({ db, body }) => contentStore(db).remove(body.ids));
};
