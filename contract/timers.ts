import * as z from 'zod';
import {
  chosen,
  chosenDevice,
  endpoint,
  exportOf,
  filter,
  flag,
  id,
  instant,
  integer,
  listBody,
  listReply,
  outcomeOfRows,
  rowResult,
  selectionOf,
} from './endpoint.ts';
import { tagBadge } from './tags.ts';

/** Monday to Sunday; bit 0 to bit 6 of a timer's days. */
export const weekdays = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'] as const;
export type Weekday = (typeof weekdays)[number];
const perWeekday = <Type extends z.ZodType>(type: Type) =>
  ({ w1: type, w2: type, w3: type, w4: type, w5: type, w6: type, w7: type }) satisfies Record<Weekday, Type>;

const action = z.enum(['open', 'close']);
const sync = z.enum(['synced', 'pending', 'conflict']);
const outcome = z.enum(['due', 'fired', 'skipped', 'missed']);

const run = z.object({
  timer_id: z.int(),
  due_at: instant,
  device_id: z.int(),
  line_id: z.int(),
  action,
  outcome,
  reason: z.string().nullable(),
  message: z.string().nullable(),
  command_id: z.uuid().nullable(),
  /** The state of that command; null: none was sent. */
  command_state: z.string().nullable(),
  at: instant,
});
const timerRow = z.object({
  timer_id: z.int(),
  device_id: z.int(),
  device_number: z.string(),
  device_name: z.string(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  line_id: z.int(),
  n: z.int(),
  line_name: z.string(),
  type: z.enum(['once', 'weekly']),
  ...perWeekday(z.boolean()),
  date: z.iso.date().nullable(),
  time: z.string(),
  action,
  enabled: z.boolean(),
  /** A once timer has ended after its time. */
  done: z.boolean(),
  run_by: z.enum(['server', 'device']),
  /** Whether the device confirmed its copy; null for timers run by the server. */
  sync: sync.nullable(),
  sync_message: z.string().nullable(),
  next_at: instant.nullable(),
  time_zone: z.string(),
  author: z.string(),
  last_run: run.nullable(),
  /** The active tags on the line, its device and its project. */
  tags: z.array(tagBadge),
  revision: z.int(),
});
export type TimerRow = z.output<typeof timerRow>;

/** The latest date that is a valid instant in every zone. */
const latestDate = '9998-01-01';
const rule = {
  type: z.enum(['once', 'weekly']),
  ...perWeekday(flag.default(false)),
  date: filter(z.iso.date({ error: 'timer.date' }).refine((text) => text < latestDate, 'timer.date')),
  time: z.string({ error: 'timer.time' }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'timer.time' }),
  action,
  enabled: flag.default(true),
  run_by: z.enum(['server', 'device']).default('server'),
  /** Needed if the timer closes and the session's password is not recent. */
  password: z.string().max(200).optional(),
};
interface Ruled extends Record<Weekday, boolean> {
  type: 'once' | 'weekly';
  date?: string | undefined;
}
const isWhole = (given: Ruled, context: z.RefinementCtx): void => {
  if (given.type === 'weekly' && !weekdays.some((day) => given[day]))
    context.addIssue({ code: 'custom', path: ['w1'], message: 'timer.days' });
  if (given.type === 'once' && given.date === undefined)
    context.addIssue({ code: 'custom', path: ['date'], message: 'timer.date' });
};
const within = { device_id: filter(id), line_id: filter(id), project_id: filter(id) };

const filters = {
  ...within,
  action: filter(action),
  enabled: filter(flag),
  run_by: filter(z.enum(['server', 'device'])),
  sync: filter(sync),
};

export const mostPreviewRuns = 2000;
export const timerEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/device_timing/get_list',
    permission: 'timer.read',
    body: listBody(filters, ['timer_id', 'next_at', 'time']),
    reply: listReply(timerRow),
  }),
  export: exportOf('/device_timing/export', 'timer.read', filters),
  /**
   * The next seven days of a line, a device or a project; `conflict`: another timer acts in the opposite way
   * in that minute.
   */
  preview: endpoint({
    method: 'POST',
    path: '/device_timing/preview',
    permission: 'timer.read',
    body: z.strictObject(within),
    reply: z.object({
      from: instant,
      to: instant,
      time_zone: z.string(),
      /** There are more runs than listed. */
      truncated: z.boolean(),
      runs: z.array(
        z.object({
          timer_id: z.int(),
          device_id: z.int(),
          line_id: z.int(),
          at: instant,
          date: z.iso.date(),
          time: z.string(),
          action,
          run_by: z.enum(['server', 'device']),
          /** Why the timer would not be carried out as things are now. */
          rests: z.string().nullable(),
          conflict: z.boolean(),
          /** Of two conflicting runs, the one that opens. */
          wins: z.boolean(),
        }),
      ),
    }),
  }),
  /** Results of the runs, newest first. */
  runs: endpoint({
    method: 'POST',
    path: '/device_timing/get_runs',
    permission: 'timer.read',
    body: z.strictObject({
      timer_id: filter(id),
      device_id: filter(id),
      line_id: filter(id),
      cursor: z.string().max(100).optional(),
      limit: integer.pipe(z.int().min(1).max(200)).default(50),
    }),
    reply: z.object({ list: z.array(run), next_cursor: z.string().nullable() }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/device_timing/add_device_timing',
    permission: 'timer.write',
    log: 'timer.add',
    secret: ['password'],
    body: z.strictObject({ line_id: chosen('timer.line'), ...rule }).superRefine(isWhole),
    reply: timerRow,
  }),
  read: endpoint({
    method: 'GET',
    path: '/device_timing/edit_device_titming',
    permission: 'timer.read',
    body: z.strictObject({ timer_id: id }),
    reply: timerRow,
  }),
  /** Replaces the whole timer; its line stays. The editor becomes its author. */
  edit: endpoint({
    method: 'POST',
    path: '/device_timing/edit_device_titming',
    permission: 'timer.write',
    log: 'timer.edit',
    secret: ['password'],
    body: z.strictObject({ timer_id: id, revision: integer, ...rule }).superRefine(isWhole),
    reply: timerRow,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/device_timing/delete_device_timing',
    permission: 'timer.write',
    log: 'timer.remove',
    body: z.strictObject({ timer_ids: selectionOf(id, 200) }),
    reply: z.object({ results: z.array(rowResult) }),
    outcome: outcomeOfRows,
  }),
  /** The lines that a timer can switch, and how many timers the device itself can store. */
  lines: endpoint({
    method: 'POST',
    path: '/device_timing/get_device_line',
    permission: 'timer.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: z.object({
      device_id: z.int(),
      number: z.string(),
      time_zone: z.string(),
      held_most: z.int(),
      held: z.int(),
      lines: z.array(
        z.object({ line_id: z.int(), n: z.int(), name: z.string(), critical: z.boolean(), timers: z.int() }),
      ),
    }),
  }),
};
