import { messageSheet } from '#contract/message-columns.ts';
import { messageEndpoints, namesMessages } from '#contract/messages.ts';
import type { Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { messageStore } from './messages.store.ts';

export const messageRoutes = (serve: Serve): void => {
  serve(messageEndpoints.list, ({ db, caller, body, language }) =>
    messageStore(db, caller.userId).list(body, language),
  );
  serve(messageEndpoints.export, (call) => {
    const store = messageStore(call.db, call.caller.userId);
    return sendTable(
      call,
      messageSheet,
      everyRow((at) => store.list({ ...call.body, ...at }, call.language)),
    );
  });
  serve(messageEndpoints.types, ({ db, caller, language }) =>
    messageStore(db, caller.userId).types(language),
  );
  serve(messageEndpoints.detail, ({ db, caller, body, language }) =>
    messageStore(db, caller.userId).detail(body.id, language),
  );
  serve(messageEndpoints.read, async ({ db, caller, body, now, emit }) => {
    const store = messageStore(db, caller.userId);
    if (!namesMessages(body)) return { done: 0, unread: await store.unread() };
    emit('message.posted', { userIds: [caller.userId] });
    return store.read(body, now);
  });
  serve(messageEndpoints.remove, async ({ db, caller, body, emit }) => {
    emit('message.posted', { userIds: [caller.userId] });
    return messageStore(db, caller.userId).remove(body.ids);
  });
};
