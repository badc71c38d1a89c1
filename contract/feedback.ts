import * as z from 'zod';
import {
  endpoint,
  filter,
  id,
  instant,
  listBody,
  listReply,
  nothing,
  outcomeOfCount,
  selectionOf,
} from './endpoint.ts';

export const feedbackTypes = ['problem', 'suggestion', 'question', 'other'] as const;
export type FeedbackType = (typeof feedbackTypes)[number];
export const longestFeedback = 2000;

const feedbackRow = z.object({
  id: z.int(),
  nickname: z.string(),
  /** How to reach the author: a phone number or an address. */
  contact: z.string(),
  time: instant,
  type: z.enum(feedbackTypes),
  content: z.string(),
  project_id: z.int().nullable(),
  project_name: z.string().nullable(),
  reply: z.string().nullable(),
  replied_at: instant.nullable(),
  replied_by: z.string().nullable(),
});
export type FeedbackRow = z.output<typeof feedbackRow>;

const text = (fault: string) => z.string({ error: fault }).trim().min(1, fault).max(longestFeedback, fault);
export const feedbackForm = z.object({
  type: z.enum(feedbackTypes, { error: 'feedback.type' }),
  contact: z.string().trim().max(100, 'feedback.contact').default(''),
  content: text('feedback.content'),
});
const filters = {
  type: filter(z.enum(feedbackTypes)),
  answered: filter(z.enum(['yes', 'no'])),
  nickname: filter(z.string().trim().max(60)),
  from: filter(instant),
  to: filter(instant),
};

/** Feedback of users to the administrators, and the answers. */
export const feedbackEndpoints = {
  add: endpoint({
    method: 'POST',
    path: '/feedback/add',
    permission: 'signedIn',
    log: 'feedback.add',
    body: z.strictObject(feedbackForm.shape),
    reply: z.object({ id: z.int() }),
  }),
  /** The caller's own feedback with the answers; the newest 100. */
  mine: endpoint({
    method: 'POST',
    path: '/feedback/mine',
    permission: 'signedIn',
    body: nothing,
    reply: z.object({ list: z.array(feedbackRow) }),
  }),
  /** Feedback of users of the projects that are completely in the caller's scope. */
  list: endpoint({
    method: 'POST',
    path: '/feedback/get_list',
    permission: 'feedback.write',
    body: listBody(filters, ['time']),
    reply: listReply(feedbackRow),
  }),
  export: endpoint({
    method: 'POST',
    path: '/feedback/export',
    permission: 'feedback.write',
    stream: true,
    body: z.strictObject(filters),
    reply: z.unknown(),
  }),
  /** The author gets the answer as a message; a second answer replaces the first. */
  reply: endpoint({
    method: 'POST',
    path: '/feedback/reply',
    permission: 'feedback.write',
    log: 'feedback.reply',
    body: z.strictObject({ id, reply: text('feedback.reply') }),
    reply: z.object({ id: z.int(), replied_at: instant }),
  }),
  remove: endpoint({
    method: 'POST',
    path: '/feedback/del',
    permission: 'feedback.write',
    log: 'feedback.delete',
    body: z.strictObject({ ids: selectionOf(id, 200) }),
    reply: z.object({ done: z.int() }),
    outcome: outcomeOfCount,
  }),
};
