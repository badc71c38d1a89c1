import * as z from 'zod';
import {
  endpoint,
  filter,
  flag,
  id,
  instant,
  listBody,
  listReply,
  nothing,
  outcomeOfCount,
  selectionOf,
} from './endpoint.ts';

export const longestTitle = 100;
/** Characters of a text, Markdown marks included. */
const longestContent = 20_000;

const contentStatus = z.enum(['enabled', 'disabled']);
const contentRow = z.object({
  id: z.int(),
  title: z.string(),
  /** Markdown; HTML in it is shown as text. */
  content: z.string(),
  status: contentStatus,
  author: z.string(),
  created_at: instant,
  updated_at: instant,
  revision: z.int(),
});
export type ContentRow = z.output<typeof contentRow>;

/** Fields of the form. */
export const contentForm = z.object({
  title: z
    .string({ error: 'content.title' })
    .trim()
    .min(1, 'content.title')
    .max(longestTitle, 'content.title'),
  content: z
    .string({ error: 'content.text' })
    .trim()
    .min(1, 'content.text')
    .max(longestContent, 'content.text'),
  enabled: flag.default(true),
});
const filters = {
  title: filter(z.string().trim().max(longestTitle)),
  status: filter(contentStatus),
};

/** Texts by administrators for every signed-in user: guides, rules, news of the site. */
export const contentEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/content/get_list',
    permission: 'content.write',
    body: listBody(filters, ['title', 'updated_at', 'created_at']),
    reply: listReply(contentRow),
  }),
  export: endpoint({
    method: 'POST',
    path: '/content/export',
    permission: 'content.write',
    stream: true,
    body: z.strictObject(filters),
    reply: z.unknown(),
  }),
  add: endpoint({
    method: 'POST',
    path: '/content/add',
    permission: 'content.write',
    log: 'content.add',
    body: z.strictObject(contentForm.shape),
    reply: z.object({ id: z.int() }),
  }),
  edit: endpoint({
    method: 'POST',
    path: '/content/edit',
    permission: 'content.write',
    log: 'content.edit',
    /** Refused with 409 if another user changed it since `revision`. */
    body: z.strictObject({ id, revision: z.int().min(1).optional(), ...contentForm.partial().shape }),
    reply: z.object({ id: z.int(), revision: z.int() }),
  }),
  remove: endpoint({
    method: 'POST',
    path: '/content/del',
    permission: 'content.write',
    log: 'content.delete',
    body: z.strictObject({ ids: selectionOf(id, 200) }),
    reply: z.object({ done: z.int() }),
    outcome: outcomeOfCount,
  }),
  /** The enabled texts, the newest first. */
  published: endpoint({
    method: 'POST',
    path: '/content/published',
    permission: 'signedIn',
    body: nothing,
    reply: z.object({
      list: z.array(contentRow.pick({ id: true, title: true, content: true, updated_at: true })),
    }),
  }),
};
