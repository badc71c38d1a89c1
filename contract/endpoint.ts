import * as z from 'zod';
import type { Permission } from './permissions.ts';

/**
 * `takingEffect`: accepted, and devices or a job complete it later. `nothing`: no row was changed; the code
 * is 0.
 */
export type CallOutcome = 'done' | 'takingEffect' | 'nothing';

/**
 * The one description of a call. The server binds it, the console calls it, OpenAPI lists it.
 * - `permission`: 'public' needs no session, 'signedIn' any session, else that permission.
 * - `body`: JSON or form fields (of a GET: the query).
 * - `log`: key identifier in the operation log; an endpoint that writes has one, an endpoint that reads has none.
 * - `writesWhen`: for a path that both reads and writes, whether this body writes.
 * - `session`: 'optional': a public call that knows its caller where there is one.
 * - `beforeTwoStep`: also open to a caller whose role needs two-step sign-in and who has not set it up yet.
 * - `secret`: body fields that must never reach a log.
 * - `secretReply`: the answer holds a secret shown once: a replayed serial gets `data: null`.
 * - `upload`: the body comes as multipart/form-data, files as `Upload` values.
 * - `outcome`: what became of a write, from its reply; absent: a write that did not fail is done.
 * - `stream`: the handler answers with a raw stream (export, live) instead of the envelope.
 */
export interface Endpoint<Body extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly permission: Permission | 'public' | 'signedIn';
  readonly body: Body;
  readonly reply: Reply;
  readonly log?: string;
  readonly writesWhen?: (body: unknown) => boolean;
  readonly session?: 'optional';
  readonly beforeTwoStep?: true;
  readonly secret?: readonly string[];
  readonly secretReply?: boolean;
  readonly upload?: boolean;
  /** Maximum size of a file; without it the maximum of an image applies. */
  readonly uploadBytes?: number;
  readonly stream?: boolean;
  outcome?(reply: z.output<Reply>): CallOutcome;
}
export type BodyOf<E> = E extends Endpoint<infer Body, z.ZodType> ? z.output<Body> : never;
export type InputOf<E> = E extends Endpoint<infer Body, z.ZodType> ? z.input<Body> : never;
export type ReplyOf<E> = E extends Endpoint<z.ZodType, infer Reply> ? z.output<Reply> : never;

export const endpoint = <const Body extends z.ZodType, const Reply extends z.ZodType>(
  description: Endpoint<Body, Reply>,
): Endpoint<Body, Reply> => description;

/** All rows of a list that match its filters, as a spreadsheet. It needs the same permission as the list. */
export const exportOf = <const Shape extends z.core.$ZodLooseShape>(
  path: string,
  permission: Permission | 'signedIn',
  filters: Shape,
) =>
  endpoint({
    method: 'POST',
    path,
    permission,
    stream: true,
    body: z.strictObject(filters),
    reply: z.unknown(),
  });

const earliest = Date.UTC(1900, 0, 1);
const latest = Date.UTC(9999, 0, 1);
/** Times on the wire: ISO 8601 with offset. */
export const instant = z.iso.datetime({ offset: true }).refine((text) => {
  const at = Date.parse(text);
  return at >= earliest && at < latest;
});
const wholeNumber = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);
/** Accepts numbers and, from forms, their decimal text, within the range of PostgreSQL's `integer`. */
export const integer = wholeNumber.pipe(z.int32());
export const id = integer.pipe(z.int32().positive());
/** Id in a table without a size limit: alarms, deliveries, messages. */
export const longId = wholeNumber.pipe(z.int().positive());
/** An id that a user chooses; `fault` is reported at the field if none is chosen. */
export const chosen = (fault: string) =>
  z.union(
    [
      z.int32({ error: fault }).positive({ error: fault }),
      z
        .string()
        .regex(/^\d{1,9}$/, fault)
        .transform(Number)
        .pipe(z.int32().positive({ error: fault })),
    ],
    { error: fault },
  );
/** Ids of calls about one project, device or line; without an id the refusal asks to choose one. */
export const chosenProject = chosen('project.choose');
export const chosenDevice = chosen('setting.devices');
export const chosenLine = chosen('control.lineNeeded');
export const flag = z.union([
  z.boolean(),
  z.enum(['0', '1', 'true', 'false']).transform((text) => text === '1' || text === 'true'),
  z.literal([0, 1]).transform((bit) => bit === 1),
]);
/** Items of a form field: JSON text, or comma-separated. */
const itemsOf = (given: unknown): unknown => {
  if (typeof given !== 'string') return given;
  if (given.trim().startsWith('['))
    try {
      return JSON.parse(given) as unknown;
    } catch {
      return given;
    }
  return given.split(',').filter((part) => part !== '');
};
/**
 * A list from JSON, or from a form as repeated or comma-separated values. If it may be empty, the caller
 * defines what that means.
 */
export const listOf = <Item extends z.ZodType>(item: Item, max = 10_000) =>
  z.preprocess(itemsOf, z.array(item).max(max));
/** At least one row, selected before an act; `fault` is reported at the field if there is none. */
export const selectionOf = <Item extends z.ZodType>(item: Item, max: number, fault = 'selection.none') =>
  z.preprocess(itemsOf, z.array(item, { error: fault }).min(1, fault).max(max));
/**
 * Ids that narrow a call. If absent, the call applies to everything in its scope. An empty list is refused:
 * its sender meant none and must not get all.
 */
export const narrowedTo = <Item extends z.ZodType>(item: Item, max: number, fault = 'selection.none') =>
  selectionOf(item, max, fault).optional();
/** An optional filter: an empty string means 'not filtered'. */
export const filter = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((given) => (given === '' || given === null ? undefined : given), item.optional());

/**
 * Refuses a body that gives different values in several of `fields`, at each of them: the call follows one and would ignore the
 * others.
 */
export const onlyOneOf =
  <Field extends string>(...fields: readonly Field[]) =>
  ({ value, issues }: z.core.ParsePayload<Partial<Record<Field, unknown>>>): void => {
    const given = fields.filter((field) => value[field] !== undefined && value[field] !== false);
    // Two names with the same value mean the same.
    if (new Set(given.map((field) => value[field])).size < 2) return;
    for (const field of given)
      issues.push({ code: 'custom', input: value, path: [field], message: 'field.onlyOne' });
  };

/** Body of a paged list: `page` from 1, `limit` 1 to 200, `sort` `field` or `-field`, and the screen's filters. */
export const listBody = <Shape extends z.core.$ZodLooseShape>(
  filters: Shape,
  sortable: readonly [string, ...string[]],
) =>
  z.strictObject({
    page: integer.pipe(z.int().min(1).max(1_000_000)).default(1),
    limit: integer.pipe(z.int().min(1).max(200)).default(20),
    sort: z.enum(sortable.flatMap((field) => [field, `-${field}`])).optional(),
    cursor: z.string().max(200).optional(),
    ...filters,
  });
/** Answer of a paged list. */
export const listReply = <Row extends z.ZodType>(row: Row) =>
  z.object({
    list: z.array(row),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    next_cursor: z.string().nullable().optional(),
  });

/** Result of a batch for one row. */
export const rowResult = z.object({
  id: z.int(),
  result: z.enum(['done', 'skipped', 'denied']),
  reason: z.string().optional(),
});
/** The outcome of a batch from its row results. */
export const outcomeOfRows = ({ results }: { results: readonly { result: string }[] }): CallOutcome =>
  results.some(({ result }) => result === 'done') ? 'done' : 'nothing';
/** The outcome of a batch that reports the number of completed rows. */
export const outcomeOfCount = ({ done }: { done: number }): CallOutcome => (done > 0 ? 'done' : 'nothing');
export const nothing = z.strictObject({});

/**
 * Name of the `to` field of a reversed range in a body, or in a filter within it; null: no range is reversed.
 */
export const reversedRange = (body: unknown, within = ''): string | null => {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null;
  const { from, to } = body as { from?: unknown; to?: unknown };
  if (typeof from === 'string' && typeof to === 'string' && Date.parse(from) > Date.parse(to))
    return `${within}to`;
  const { filter: inner } = body as { filter?: unknown };
  return inner === undefined ? null : reversedRange(inner, 'filter.');
};

/** For lists that are short enough to be returned whole, as one page, unless the call asks for another. */
export const shortListFields = {
  page: integer.pipe(z.int().min(1).max(1_000_000)).optional(),
  limit: integer.pipe(z.int().min(1).max(200)).optional(),
};
export const pageOfShort = <Row>(
  rows: readonly Row[],
  { page, limit }: { page?: number | undefined; limit?: number | undefined },
): { list: Row[]; total: number; page: number; limit: number } => {
  const total = rows.length;
  if (page === undefined && limit === undefined)
    return { list: [...rows], total, page: 1, limit: Math.max(1, total) };
  const size = limit ?? 20;
  const at = page ?? 1;
  return { list: rows.slice((at - 1) * size, at * size), total, page: at, limit: size };
};
