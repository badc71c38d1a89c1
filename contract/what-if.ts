/**
 * How many alarms another limit, deadband or delay would have caused in the last days: stored readings are
 * judged again by the same rules.
 */
import * as z from 'zod';
import { alarmCatalogue, alarmTypeOf, judgedKeysOf } from './alarm-catalogue.ts';
import { endpoint, filter, flag, id, integer, selectionOf } from './endpoint.ts';
import { parameterOf } from './parameters.ts';

export const longestReplayDays = 30;
/** Maximum number of lines in one what-if. */
export const mostTriedLines = 100;
/**
 * Maximum number of lines in one call. A what-if makes several calls, which show its progress and allow
 * cancelling it.
 */
export const mostReplayLines = 10;
/** Number of episodes listed for each line; the counts include all. */
export const mostReplayEpisodes = 20;

/** The parameters of a type that can be tested: limits, deadband and delay. */
export const triedKeysOf = (code: number): readonly string[] => {
  const type = alarmTypeOf(code);
  // Trends are fitted over weeks, not judged reading by reading.
  if (!type || type.offByDefault) return [];
  return judgedKeysOf(type).filter((key) => parameterOf(key) !== undefined);
};
export const triedCodes: readonly number[] = alarmCatalogue
  .map(({ code }) => code)
  .filter((code) => triedKeysOf(code).length > 0);

const typeNumber = integer.pipe(z.int().min(100).max(999));
const key = z.string().max(20);
const count = z.int();
const instant = z.iso.datetime({ offset: true });
const number = z.number().nullable();
const episode = z.object({
  at: instant,
  /** Null: it is still active. */
  ended_at: instant.nullable(),
  phase: z.int(),
  level: z.int(),
  severity: z.int(),
  value: number,
  threshold: number,
});
const counts = z.object({ raised: count, alarms: count, early_warnings: count });
const named = z.object({ count, episodes: z.array(episode) });
/** In the unit of the type; `end`: where an alarm ends. */
const limits = z.object({ early: number, alarm: number, end: number });

export const whatIfEndpoints = {
  /** Lines to which the type applies, with the value in effect: of a project, a device, or one line. */
  lines: endpoint({
    method: 'POST',
    path: '/device_warning/what_if_lines',
    permission: 'statistics.alarm',
    body: z
      .strictObject({ project_id: filter(id), device_id: filter(id), line_id: filter(id), typeNumber, key })
      .refine(
        ({ project_id, device_id, line_id }) => (project_id ?? device_id ?? line_id) !== undefined,
        'selection.none',
      ),
    reply: z.object({
      /** Whether the installation raises alarms of this type at all. */
      enabled: z.boolean(),
      total: count,
      unit: z.string(),
      /** Unit of the alarm's own value. */
      value_unit: z.string(),
      min: z.number(),
      max: z.number(),
      step: z.number(),
      /** Up to `mostTriedLines`. */
      lines: z.array(
        z.object({
          line_id: z.int(),
          n: z.int(),
          line_name: z.string(),
          device_id: z.int(),
          device_number: z.string(),
          device_name: z.string(),
          /** Null: the device is bound to no project. */
          project_id: z.int().nullable(),
          /** Value in effect; null: none. */
          value: number,
          /** Value of the line itself; null: it follows its project, the installation or the catalogue. */
          own: number,
          /** The device keeps the value itself: a change is sent to it. */
          on_device: z.boolean(),
          /** Revisions of the line and of its device's settings, sent back with a change. */
          revision: z.int(),
          settings_revision: z.int(),
        }),
      ),
    }),
  }),
  /**
   * Alarms of these lines and this type in the last days with the present value and with another one. Changes
   * nothing.
   */
  replay: endpoint({
    method: 'POST',
    path: '/device_warning/what_if',
    permission: 'statistics.alarm',
    body: z.strictObject({
      line_ids: selectionOf(id, mostReplayLines, 'selection.none'),
      typeNumber,
      key,
      value: z.number(),
      days: integer.pipe(z.int().min(1).max(longestReplayDays)).default(longestReplayDays),
      /** With the judged value over time. */
      chart: flag.default(false),
    }),
    reply: z.object({
      since: instant,
      until: instant,
      lines: z.array(
        z.object({
          line_id: z.int(),
          /** Number of judged readings and the time of the first; earlier times cannot be judged again. */
          readings: count,
          first_reading: instant.nullable(),
          before: counts,
          after: counts,
          /**
           * Alarms of `before` that would remain at their level, that would only be early warnings, and that
           * would be missed.
           */
          remain: named,
          lowered: named,
          missed: named,
          /** Alarms that only the other value causes. */
          added: named,
          limits: z.object({ before: limits, after: limits }),
          /** The parameter that the value would cross; null: none. */
          crosses: z.string().nullable(),
          /** Lowest and highest judged value in each interval of `step_s`. */
          chart: z
            .object({
              step_s: z.int(),
              at: z.array(z.int()),
              low: z.array(z.number()),
              high: z.array(z.number()),
            })
            .nullable(),
        }),
      ),
    }),
  }),
};
