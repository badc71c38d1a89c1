import * as z from 'zod';
import { endpoint, exportOf, filter, flag, id, instant, listBody, listReply } from './endpoint.ts';
import { lineState } from './lines.ts';

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
  /**
   * Devices under an active tag that report a closing timer or auto-reclose, which close without asking the
   * server.
   */
  holding: z.int(),
  owner: z.string(),
  owner_id: z.int(),
  set_at: instant,
  removed_at: instant.nullable(),
  removed_by: z.string().nullable(),
  removal_reason: z.string().nullable(),
});
/** An active tag as a row of another list shows it. */
export const tagBadge = z.object({ tag_id: z.int(), reason: z.string(), owner: z.string() });
export type TagBadge = z.output<typeof tagBadge>;
/** Further lines are counted but not listed. */
export const mostCoveredShown = 200;
/**
 * The lines that a tag covers. Open: proved by a fresh position and no current. `not_open` lists the others,
 * highest load first; current and power are fresh, A and W.
 */
export const coveredLines = z.object({
  lines: z.int(),
  open: z.int(),
  closed: z.int(),
  unknown: z.int(),
  power: z.number(),
  not_open: z.array(
    z.object({
      line_id: z.int(),
      device_id: z.int(),
      device_number: z.string(),
      n: z.int(),
      name: z.string(),
      state: lineState,
      observed_at: instant.nullable(),
      current: z.number().nullable(),
      power: z.number().nullable(),
    }),
  ),
});
const place = { line_id: filter(id), device_id: filter(id), project_id: filter(id) };
const namesOne = (body: Partial<Record<keyof typeof place, number | undefined>>): boolean =>
  [body.line_id, body.device_id, body.project_id].filter((one) => one !== undefined).length === 1;
const tagFilters = {
  ...place,
  /** Tags on the device, its lines and its project. */
  covering_device_id: filter(id),
  /** Only active tags; otherwise removed ones too. */
  standing: flag.default(true),
};
const oneFault = { path: ['line_id'], error: 'tag.on' };
const reason = z.string().trim().min(1, { error: 'tag.reason' }).max(300, { error: 'tag.reason' });

/**
 * Lock-out tags: while one is active, nothing closes a line that it covers. A tag complements a physical lock
 * and never replaces it.
 */
export const tagEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/lockout_tag/get_list',
    permission: 'line.read',
    body: listBody(tagFilters, ['set_at', 'review_at']),
    reply: listReply(tagRow),
  }),
  export: exportOf('/lockout_tag/export', 'line.read', tagFilters),
  /** The present state and load of the lines that a tag would cover, for its dialog. */
  preview: endpoint({
    method: 'POST',
    path: '/lockout_tag/preview',
    permission: 'tag.write',
    body: z.strictObject(place).refine(namesOne, oneFault),
    reply: coveredLines,
  }),
  set: endpoint({
    method: 'POST',
    path: '/lockout_tag/add_tag',
    permission: 'tag.write',
    log: 'tag.set',
    body: z
      .strictObject({ ...place, reason, photo_id: filter(z.uuid()), review_at: filter(instant) })
      .refine(namesOne, oneFault),
    /**
     * `closing`: number of lines that an earlier command may still close; `covered`: the lines of the tag and
     * which of them are not open.
     */
    reply: tagRow.extend({ closing: z.int(), covered: coveredLines }),
  }),
  /** Extends the work to the next review. Only the tag's owner may do it. */
  review: endpoint({
    method: 'POST',
    path: '/lockout_tag/review_tag',
    permission: 'tag.write',
    log: 'tag.review',
    body: z.strictObject({ tag_id: id, review_at: filter(instant) }),
    reply: tagRow,
  }),
  /** Only for its owner, or an administrator with password and reason. */
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
