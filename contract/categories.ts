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
  outcomeOfRows,
  rowResult,
  selectionOf,
} from './endpoint.ts';

export const longestCategoryName = 40;
const categoryStatus = z.enum(['enabled', 'disabled']);
const categoryRow = z.object({
  id: z.int(),
  name: z.string(),
  /** An uploaded image. */
  icon_id: z.uuid(),
  description: z.string(),
  status: categoryStatus,
  created_at: instant,
  /** Devices in the category that the caller may see. */
  devices: z.int(),
  revision: z.int(),
});
export type CategoryRow = z.output<typeof categoryRow>;

export const categoryForm = z.object({
  name: z
    .string({ error: 'category.name' })
    .trim()
    .min(1, 'category.name')
    .max(longestCategoryName, 'category.name'),
  icon_id: z.uuid({ error: 'category.icon' }),
  description: z.string().trim().max(300, 'category.description').default(''),
  enabled: flag.default(true),
});
const filters = { name: filter(z.string().trim().max(longestCategoryName)), status: filter(categoryStatus) };

/** Groups of devices that an installation makes for itself: pumps, lifts, server rooms. */
export const categoryEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/category/get_list',
    permission: 'category.write',
    body: listBody(filters, ['name', 'created_at']),
    reply: listReply(categoryRow),
  }),
  export: endpoint({
    method: 'POST',
    path: '/category/export',
    permission: 'category.write',
    stream: true,
    body: z.strictObject(filters),
    reply: z.unknown(),
  }),
  /** The enabled categories, for pickers and filters. */
  options: endpoint({
    method: 'POST',
    path: '/category/options',
    permission: 'device.read',
    body: nothing,
    reply: z.object({ list: z.array(z.object({ id: z.int(), name: z.string(), icon_id: z.uuid() })) }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/category/add',
    permission: 'category.write',
    log: 'category.add',
    body: z.strictObject(categoryForm.shape),
    reply: z.object({ id: z.int() }),
  }),
  edit: endpoint({
    method: 'POST',
    path: '/category/edit',
    permission: 'category.write',
    log: 'category.edit',
    /** Refused with 409 if another user changed it since `revision`. */
    body: z.strictObject({ id, revision: z.int().min(1).optional(), ...categoryForm.partial().shape }),
    reply: z.object({ id: z.int(), revision: z.int() }),
  }),
  /** A category that contains devices is skipped. */
  remove: endpoint({
    method: 'POST',
    path: '/category/del',
    permission: 'category.write',
    log: 'category.delete',
    body: z.strictObject({ ids: selectionOf(id, 200) }),
    reply: z.object({ results: z.array(rowResult.extend({ message: z.string().optional() })) }),
    outcome: outcomeOfRows,
  }),
};
