import * as z from 'zod';
import {
  chosenLine,
  endpoint,
  exportOf,
  filter,
  id,
  instant,
  integer,
  listBody,
  listReply,
  longId,
} from './endpoint.ts';
import { tariffBands, tariffContent } from './tariffs.ts';

/** How the energy of a bucket was determined, in the order of the bits of `energy_flags`. */
export const energyMarks = [
  'estimated',
  'reset',
  'integrated',
  'spike',
  'unallocated',
  'aboveRating',
  'corrected',
] as const;
export type EnergyMark = (typeof energyMarks)[number];

export const statisticsPeriods = ['day', 'week', 'month', 'year', 'custom'] as const;
export type StatisticsPeriod = (typeof statisticsPeriods)[number];
/** Maximum days of a custom range; longer ones are shown by month. */
export const mostDays = 1100;
export const mostDaysByDay = 100;

const day = z.iso.date();
/** The target of the figures: the narrowest one given. */
const about = {
  project_id: filter(id),
  part_id: filter(id),
  device_id: filter(id),
  line_id: filter(id),
};
/**
 * The day, week (from Monday), month or year that contains `date`, or the days from `first_day` to
 * `last_day`; local dates.
 */
const when = {
  period: z.enum(statisticsPeriods).default('month'),
  date: filter(day),
  first_day: filter(day),
  last_day: filter(day),
};
const statisticsBody = { ...about, ...when };

const targetKinds = ['project', 'part', 'device', 'line'] as const;
export type TargetKind = (typeof targetKinds)[number];
const named = z.object({ kind: z.enum(targetKinds), id: z.int(), name: z.string() });

export const statisticsHead = z.object({
  ...named.shape,
  project_id: z.int().nullable(),
  time_zone: z.string(),
  /** From the project down to the level above the target. */
  path: z.array(named),
  from: instant,
  to: instant,
  first_day: day,
  last_day: day,
  by: z.enum(['quarter', 'hour', 'day', 'month']),
  /** The range has not ended yet: its figures end now. */
  running: z.boolean(),
  /** The first stored figures of the target; null: there are none. */
  data_from: instant.nullable(),
  /** Days are being recalculated, because the time zone changed. */
  rebuilding: z.boolean(),
});

const share = z.number().nullable();
const figure = {
  kwh: z.number(),
  /** Part of `kwh` whose amount is known but whose distribution over time is estimated. */
  estimated_kwh: z.number(),
  corrected_kwh: z.number(),
  /** Share of the time, 0 to 1, that readings cover; null: no line was expected to report yet. */
  coverage: share,
  marks: z.array(z.enum(energyMarks)),
  resets: z.int(),
};
export const energyFigure = z.object(figure);
const bucket = z.object({ at: instant, to: instant, ...figure });

const correctionRow = z.object({
  id: z.int(),
  line_id: z.int(),
  line_name: z.string(),
  device_number: z.string(),
  from: instant,
  to: instant,
  before_kwh: z.number(),
  after_kwh: z.number(),
  reason: z.string(),
  /** The correction that this one reverses. */
  undoes: z.int().nullable(),
  undone_by: z.int().nullable(),
  operator: z.string(),
  time: instant,
});

const loadFigures = z.object({
  from: instant,
  to: instant,
  max_w: share,
  max_at: instant.nullable(),
  min_w: share,
  min_at: instant.nullable(),
  avg_w: share,
  load_factor: share,
  difference_w: share,
  difference_rate: share,
  /** Maximum load over the rated load. */
  utilisation: share,
  energy_kwh: z.number(),
  coverage: share,
  curve: z.array(z.object({ at: instant, avg_w: share, max_w: share, min_w: share, coverage: share })),
  /** Power that is reached or exceeded for this share of the time, from 0 to 100 %. */
  duration: z.array(z.number()),
});

const band = z.enum(tariffBands);
/** An amount in each currency of the tariffs in effect; different currencies are never added. */
const costs = z.array(z.object({ currency: z.string(), amount: z.number() }));
const period = z.object({
  from: instant,
  to: instant,
  kwh: z.number(),
  coverage: share,
  /** Time of the first figures if the period is recorded only from then on; then there is no comparison. */
  begins: instant.nullable(),
  /** Growth since this period; null: nothing to compare with. */
  growth: share,
});
const correctionReason = z.string().trim().min(5, 'energy.reason').max(500);

const correctionFilters = { project_id: filter(id), line_id: filter(id) };

export const statisticsEndpoints = {
  /** Energy of a project, part, device or line by time, and by its members. */
  energy: endpoint({
    method: 'POST',
    path: '/statistics/energy_detail',
    permission: 'statistics.energy',
    body: z.strictObject({
      ...statisticsBody,
      /** The level into which the target is divided; absent: the next one. */
      split: filter(z.enum(['part', 'device', 'line'])),
      page: integer.pipe(z.int().min(1).max(100_000)).default(1),
      limit: integer.pipe(z.int().min(1).max(200)).default(20),
    }),
    reply: z.object({
      head: statisticsHead,
      total: energyFigure,
      buckets: z.array(bucket),
      split: z.enum(['part', 'device', 'line']).nullable(),
      /**
       * Largest first. `id` null: energy that belongs to no part, or to devices that have left the project.
       */
      members: z.array(
        z.object({
          kind: z.enum(targetKinds),
          id: z.int().nullable(),
          name: z.string(),
          device_id: z.int().nullable(),
          share,
          ...figure,
        }),
      ),
      members_total: z.int(),
      /** An incoming line compared with the lines that it supplies. */
      incoming: z
        .object({ incoming_kwh: z.number(), lines_kwh: z.number(), difference_kwh: z.number() })
        .nullable(),
      /** For filters: energy taken in minus energy given out. */
      loss_kwh: share,
    }),
  }),
  /**
   * How the energy of a line was calculated: registers, gaps, resets and corrections of each part of the
   * range.
   */
  source: endpoint({
    method: 'POST',
    path: '/statistics/energy_source',
    permission: 'statistics.energy',
    body: z.strictObject({ ...when, line_id: chosenLine }),
    reply: z.object({
      head: statisticsHead,
      has_register: z.boolean(),
      upload_seconds: z.int(),
      /** Maximum power by the line's rating, kW, and by its register if that proved more. */
      rated_kw: z.number(),
      proven_kw: share,
      supplies: z.enum(['none', 'device', 'project']),
      rows: z.array(
        z.object({
          ...bucket.shape,
          first_at: instant.nullable(),
          first_kwh: share,
          last_at: instant.nullable(),
          last_kwh: share,
          /** Last minus first register value. */
          registered_kwh: share,
        }),
      ),
      total: energyFigure,
      corrections: z.array(correctionRow),
    }),
  }),
  energyExport: endpoint({
    method: 'POST',
    path: '/statistics/energy_export',
    permission: 'statistics.energy',
    stream: true,
    body: z.strictObject({
      ...statisticsBody,
      split: filter(z.enum(['part', 'device', 'line'])),
      /** Rows by time, or by the members of the target. */
      rows: z.enum(['time', 'members']).default('time'),
    }),
    reply: z.unknown(),
  }),
  /**
   * Energy with tariff bands, cost and CO₂, compared with the period before and the year before, and ranked.
   */
  electricity: endpoint({
    method: 'POST',
    path: '/statistics/electricity',
    permission: 'statistics.electricity',
    body: z.strictObject({
      ...statisticsBody,
      ranking: z.enum(['part', 'device', 'line']).default('line'),
      limit: integer.pipe(z.int().min(1).max(200)).default(20),
    }),
    reply: z.object({
      head: statisticsHead,
      total: energyFigure,
      previous: period,
      year_before: period,
      tariff: z
        .object({ valid_from: day, of_project: z.boolean(), currency: z.string(), co2_kg_per_kwh: share })
        .nullable(),
      bands: z.array(z.object({ band, kwh: z.number(), costs })),
      /** Energy in periods without a tariff. */
      untariffed_kwh: z.number(),
      costs,
      co2_kg: share,
      buckets: z.array(
        z.object({
          ...bucket.shape,
          bands: z.record(z.string(), z.number()),
          costs,
          previous_kwh: share,
          year_before_kwh: share,
        }),
      ),
      ranking: z.array(
        z.object({
          kind: z.enum(targetKinds),
          id: z.int().nullable(),
          name: z.string(),
          /** Null: without any reading. */
          kwh: share,
          share,
          previous_kwh: share,
          growth: share,
        }),
      ),
      ranking_total: z.int(),
    }),
  }),
  electricityExport: endpoint({
    method: 'POST',
    path: '/statistics/electricity_export',
    permission: 'statistics.electricity',
    stream: true,
    body: z.strictObject(statisticsBody),
    reply: z.unknown(),
  }),
  /** Load from averages of a quarter of an hour. */
  load: endpoint({
    method: 'POST',
    path: '/statistics/load',
    permission: 'statistics.electricity',
    body: z.strictObject({
      ...statisticsBody,
      compare: z.enum(['none', 'previous', 'year']).default('none'),
    }),
    reply: z.object({
      head: statisticsHead,
      rated_w: share,
      figures: loadFigures,
      compared: loadFigures.nullable(),
      /** For a line: mean and highest quarter of an hour of each phase, compared with its rated current. */
      phases: z
        .object({
          rated_a: share,
          utilisation: share,
          list: z.array(z.object({ phase: z.enum(['a', 'b', 'c']), avg_a: share, max_a: share })),
          /**
           * (highest phase − mean) / mean; the worst quarter of an hour with at least a tenth of the rated
           * current.
           */
          unbalance_avg: share,
          unbalance_max: share,
          unbalance_at: instant.nullable(),
        })
        .nullable(),
    }),
  }),
  loadExport: endpoint({
    method: 'POST',
    path: '/statistics/load_export',
    permission: 'statistics.electricity',
    stream: true,
    body: z.strictObject(statisticsBody),
    reply: z.unknown(),
  }),
  /** The list of corrections, newest first. */
  corrections: endpoint({
    method: 'POST',
    path: '/statistics/get_corrections',
    permission: 'statistics.energy',
    body: listBody(correctionFilters, ['id']),
    reply: listReply(correctionRow),
  }),
  exportCorrections: exportOf('/statistics/export_corrections', 'statistics.energy', correctionFilters),
  /**
   * Sets the energy of a line between two instants. `expected_kwh` is the energy that the caller saw there.
   */
  correct: endpoint({
    method: 'POST',
    path: '/statistics/correct',
    permission: 'energy.correct',
    log: 'energy.correct',
    body: z.strictObject({
      line_id: chosenLine,
      from: instant,
      to: instant,
      expected_kwh: z.number().min(0).max(1e9),
      kwh: z.number().min(0, 'energy.negative').max(1e9),
      reason: correctionReason,
    }),
    reply: correctionRow,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/statistics/undo_correction',
    permission: 'energy.correct',
    log: 'energy.undo',
    body: z.strictObject({ id, reason: correctionReason }),
    reply: correctionRow,
  }),
  /** Sets what a line meters: its own load, the other lines of its device, or the whole project. */
  incoming: endpoint({
    method: 'POST',
    path: '/statistics/set_incoming',
    permission: 'energy.correct',
    log: 'energy.incoming',
    body: z.strictObject({ line_id: chosenLine, supplies: z.enum(['none', 'device', 'project']) }),
    reply: z.object({ line_id: z.int(), supplies: z.enum(['none', 'device', 'project']) }),
  }),
  /** Versions of a project's tariff, or of the installation's if no project is given; newest first. */
  tariffs: endpoint({
    method: 'POST',
    path: '/statistics/get_tariffs',
    permission: 'statistics.electricity',
    body: z.strictObject({ project_id: filter(id) }),
    reply: z.object({
      list: z.array(
        z.object({
          id: longId,
          project_id: z.int().nullable(),
          valid_from: day,
          content: tariffContent,
          operator: z.string(),
          updated_at: instant,
          revision: z.int(),
        }),
      ),
    }),
  }),
  /** A tariff version from a day on. It replaces the version of the same day if `revision` matches. */
  saveTariff: endpoint({
    method: 'POST',
    path: '/statistics/save_tariff',
    permission: 'tariff.write',
    log: 'tariff.save',
    body: z.strictObject({
      project_id: filter(id),
      valid_from: day,
      revision: filter(integer.pipe(z.int().min(1))),
      content: tariffContent,
    }),
    reply: z.object({ id: z.int(), revision: z.int() }),
  }),
  removeTariff: endpoint({
    method: 'POST',
    path: '/statistics/delete_tariff',
    permission: 'tariff.write',
    log: 'tariff.remove',
    body: z.strictObject({ id }),
    reply: z.object({ id: z.int() }),
  }),
};
