import { feedbackEndpoints } from '#contract/feedback.ts';
import { feedbackSheet } from '#contract/record-columns.ts';
import { displayName } from '#server/core/display-name.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendTable } from '#server/core/table.ts';
import { postMessage } from '#server/messages/messages.store.ts';
import { administratorsOf, feedbackStore } from './feedback.store.ts';

/** Maximum number of characters of a feedback text that a message quotes. */
const mostQuoted = 200;
const quoted = (text: string) => {
  const characters = [...text];
  return characters.length > mostQuoted ? `${characters.slice(0, mostQuoted).join('')}…` : text;
};

export const feedbackRoutes = (serve: Serve): void => {
  serve(feedbackEndpoints.mine, ({ db, caller }) => feedbackStore(db, caller).mine());
  serve(feedbackEndpoints.list, ({ db, caller, body }) => feedbackStore(db, caller).list(body));
  serve(feedbackEndpoints.export, (call) =>
    sendTable(call, feedbackSheet, feedbackStore(call.db, call.caller).every(call.body)),
  );
  serve(feedbackEndpoints.add, async ({ db, caller, body, now, emit, note }) => {
    const added = await feedbackStore(db, caller).add(body, new Date(now));
    note(added);
    const userIds = await postMessage(db, {
      userIds: await administratorsOf(db),
      type: 'system',
      key: 'feedback.new',
      data: { who: displayName(caller), text: quoted(body.content) },
      now,
    });
    emit('message.posted', { userIds });
    return added;
  });
  serve(feedbackEndpoints.reply, async ({ db, caller, body, now, emit }) => {
    const writer = await feedbackStore(db, caller).reply(body, new Date(now));
    const userIds = await postMessage(db, {
      userIds: [writer],
      type: 'system',
      key: 'feedback.replied',
      data: { text: quoted(body.reply) },
      now,
    });
    emit('message.posted', { userIds });
    return { id: body.id, replied_at: new Date(now).toISOString() };
  });
  serve(feedbackEndpoints.remove, ({ db, caller, body }) => feedbackStore(db, caller).remove(body.ids));
};
