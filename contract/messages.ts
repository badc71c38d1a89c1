import * as z from 'zod';
import {
  endpoint,
  exportOf,
  filter,
  flag,
  instant,
  listBody,
  listReply,
  longId,
  narrowedTo,
  nothing,
  onlyOneOf,
  outcomeOfCount,
  selectionOf,
} from './endpoint.ts';

export const messageTypes = ['alarm', 'urge', 'timer', 'tag', 'device', 'system'] as const;
export type MessageType = (typeof messageTypes)[number];

const messageRow = z.object({
  id: z.int(),
  type: z.enum(messageTypes),
  /** In the reader's language. */
  title: z.string(),
  text: z.string(),
  time: instant,
  read: z.boolean(),
  project_id: z.int().nullable(),
  device_id: z.int().nullable(),
  alarm_id: z.int().nullable(),
});
export type MessageRow = z.output<typeof messageRow>;

const selection = { ids: narrowedTo(longId, 1000), type: filter(z.enum(messageTypes)) };

/** Whether a body of `/system_message/getRed` names messages, by any of its fields. */
export const namesMessages = (body: unknown): boolean => {
  const { ids, type, all } = (body ?? {}) as Record<string, unknown>;
  return ids !== undefined || (type ?? '') !== '' || flag.safeParse(all).data === true;
};

const filters = { type: filter(z.enum(messageTypes)), read: filter(z.enum(['read', 'unread'])) };

export const messageEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/system_message/index',
    permission: 'message.read',
    body: listBody(filters, ['time']),
    reply: listReply(messageRow),
  }),
  export: exportOf('/system_message/export', 'message.read', filters),
  types: endpoint({
    method: 'POST',
    path: '/system_message/getMessageType',
    permission: 'message.read',
    body: nothing,
    reply: z.object({
      list: z.array(
        z.object({ type: z.enum(messageTypes), name: z.string(), unread: z.int(), total: z.int() }),
      ),
      unread: z.int(),
    }),
  }),
  /**
   * Marks messages as read: by ids, by type, or all of them; then counts the unread ones. Without any of these it
   * only counts: a caller that asks for the number of its badge loses no warning by it.
   */
  read: endpoint({
    method: 'POST',
    path: '/system_message/getRed',
    permission: 'message.write',
    log: 'message.read',
    writesWhen: namesMessages,
    body: z
      .strictObject({ ...selection, all: flag.optional() })
      .check(onlyOneOf('all', 'ids'), onlyOneOf('all', 'type')),
    reply: z.object({ done: z.int(), unread: z.int() }),
    outcome: outcomeOfCount,
  }),
  detail: endpoint({
    method: 'POST',
    path: '/system_message/detail',
    permission: 'message.read',
    body: z.strictObject({ id: longId }),
    reply: messageRow,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/system_message/del',
    permission: 'message.write',
    log: 'message.delete',
    body: z.strictObject({ ids: selectionOf(longId, 1000) }),
    reply: z.object({ done: z.int(), unread: z.int() }),
    outcome: outcomeOfCount,
  }),
};
