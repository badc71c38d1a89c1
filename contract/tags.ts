import * as z from 'zod';
import { endpoint, filter, flag, id, instant, listBody, listReply } from './endpoint.ts';

const on = z.enum(['line', 'device', 'project']);
export const tagRow = z.object({
  tag_id: z.int(),
  on,
  line_id: z.int().nullable(),
  device_id: z.int().nullable(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  device_number: z.string(),
  line_name: z.string(),
  reason: z.string(),
  photo_id: z.uuid().nullable(),
  review_at: instant.nullable(),
  review_due: z.boolean(),
  /** Devices under a standing tag that tell of a closing timer or of auto-reclose: they ask nobody before they close. */
  holding: z.int(),
  owner: z.string(),
  owner_id: z.int(),
  set_at: instant,
  removed_at: instant.nullable(),
  removed_by: z.string().nullable(),
  removal_reason: z.string().nullable(),
});
const reason = z.string().trim().min(1, { error: 'tag.reason' }).max(300, { error: 'tag.reason' });

/** Lock-out tags: while one stands, nothing closes what it hangs on. A complement to a physical lock, never its replacement. */
export const tagEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/lockout_tag/get_list',
    permission: 'line.read',
    body: listBody(
      {
        line_id: filter(id),
        device_id: filter(id),
        project_id: filter(id),
        /** Only those that stand; without it also those that were removed. */
        standing: flag.default(true),
      },
      ['set_at', 'review_at'],
    ),
    reply: listReply(tagRow),
  }),
  set: endpoint({
    method: 'POST',
    path: '/lockout_tag/add_tag',
    permission: 'tag.write',
    log: 'tag.set',
    body: z
      .strictObject({
        line_id: filter(id),
        device_id: filter(id),
        project_id: filter(id),
        reason,
        photo_id: filter(z.uuid()),
        review_at: filter(instant),
      })
      .refine(
        (body) =>
          [body.line_id, body.device_id, body.project_id].filter((one) => one !== undefined).length === 1,
        { path: ['line_id'], error: 'tag.on' },
      ),
    /** `closing`: lines that a command sent earlier may still close. */
    reply: tagRow.extend({ closing: z.int() }),
  }),
  /** The work goes on: the next review. Its owner only. */
  review: endpoint({
    method: 'POST',
    path: '/lockout_tag/review_tag',
    permission: 'tag.write',
    log: 'tag.review',
    body: z.strictObject({ tag_id: id, review_at: filter(instant) }),
    reply: tagRow,
  }),
  /** Its owner, or an administrator with password and reason. */
  remove: endpoint({
    method: 'POST',
    path: '/lockout_tag/remove_tag',
    permission: 'tag.write',
    log: 'tag.remove',
    secret: ['password'],
    body: z.strictObject({
      tag_id: id,
      reason: filter(reason),
      password: z.string().max(200).optional(),
    }),
    reply: tagRow,
  }),
};
