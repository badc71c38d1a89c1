import * as z from 'zod';
import { endpoint, filter, flag, id, integer, narrowedTo, nothing, selectionOf } from './endpoint.ts';
import { positionCounts } from './lines.ts';

const count = z.int();
/** Null: nobody has measured it. */
const measured = z.number().nullable();
/** The period of the counted alarms; its end is excluded. */
const period = { from: z.iso.datetime(), to: z.iso.datetime() };
const alarmRow = z.object({
  id: z.int(),
  work_order: z.string(),
  typeNumber: z.int(),
  level: z.int(),
  severity: z.int(),
  time: z.iso.datetime({ offset: true }),
  project_id: z.int().nullable(),
  project_name: z.string(),
  device_id: z.int(),
  device_number: z.string(),
  line_name: z.string(),
  active: z.boolean(),
  status: z.enum(['unprocessed', 'processed']),
  value: z.number().nullable(),
  value_type: z.int(),
});

/** `lat` and `lng` in WGS-84, to a metre; `worst`: the worst unprocessed active level, 0: none. */
const place = z.object({
  project_id: z.int(),
  name: z.string(),
  lat: z.number(),
  lng: z.number(),
  province_id: z.int(),
  worst: z.int(),
});

/** In the order in which they are shown by default. */
export const dashboardPanels = ['map', 'sites', 'latest', 'trend', 'comparison', 'spread', 'months'] as const;
export type DashboardPanel = (typeof dashboardPanels)[number];
const cycleSeconds = integer.pipe(
  z.union([z.literal(0), z.int().min(10).max(600)], { error: 'dashboard.cycle' }),
);
const settingBody = z
  .strictObject({
    panels: narrowedTo(z.enum(dashboardPanels), dashboardPanels.length, 'dashboard.panels'),
    page_size: z.enum(['full', 'large']).default('full'),
    /** Seconds until the next page is shown; 0: pages do not change by themselves. */
    cycle_s: cycleSeconds.default(0),
    /** True: removes the user's own layout, or resets the layout of the installation to the default. */
    reset: flag.optional(),
    target: z.enum(['me', 'everyone']).default('me'),
  })
  .refine(({ panels = [] }) => new Set(panels).size === panels.length, {
    path: ['panels'],
    error: 'dashboard.panels',
  });

export const siteFigures = ['load', 'energy'] as const;
export type SiteFigure = (typeof siteFigures)[number];
const siteOrders = ['urgency', ...siteFigures] as const;

export const dashboardEndpoints = {
  /**
   * The overview layout of the caller. With `panels` or `reset` it is changed first, for the caller or for
   * everybody.
   */
  setting: endpoint({
    method: 'POST',
    path: '/index/Setting',
    permission: 'dashboard.read',
    log: 'dashboard.layout',
    writesWhen: (body) => body !== null && typeof body === 'object' && ('panels' in body || 'reset' in body),
    body: settingBody,
    reply: z.object({
      panels: z.array(z.enum(dashboardPanels)),
      page_size: z.enum(['full', 'large']),
      cycle_s: z.int(),
      /** Who chose the layout. */
      chosen_by: z.enum(['me', 'everyone', 'nobody']),
      may_set_for_everyone: z.boolean(),
    }),
  }),
  /**
   * Projects in an order: by urgency (worst active alarm, unprocessed alarms, offline devices), or by a figure,
   * largest first and the unknown ones last.
   */
  sites: endpoint({
    method: 'POST',
    path: '/index/get_site_ranking',
    permission: 'dashboard.read',
    body: z.strictObject({
      /** A province. */
      region_id: filter(id),
      order: z.enum(siteOrders).default('urgency'),
      limit: integer.pipe(z.int().min(1).max(50)).default(20),
    }),
    reply: z.object({
      /** Provinces with their names in the reader's language. */
      regions: z.array(
        z.object({
          region_id: z.int(),
          name: z.string(),
          projects: count,
          unprocessed: count,
          worst: z.int(),
        }),
      ),
      total: count,
      list: z.array(
        z.object({
          project_id: z.int(),
          name: z.string(),
          region: z.string(),
          worst: z.int(),
          unprocessed: count,
          active: count,
          devices: count,
          offline: count,
          load_w: measured,
          /** Power that the supply contract allows the site. */
          contract_kw: z.number().nullable(),
          energy_today_kwh: measured,
          /** Yesterday up to the same time of day. */
          energy_same_time_kwh: measured,
        }),
      ),
    }),
  }),
  census: endpoint({
    method: 'POST',
    path: '/index/census',
    permission: 'dashboard.read',
    body: nothing,
    reply: z.object({
      projects: count,
      devices: count,
      /** Devices bound to a project; the rate refers to these. */
      devices_bound: count,
      devices_online: count,
      online_rate: z.number().nullable(),
      unprocessed: count,
      unprocessed_alarms: count,
      unprocessed_early_warnings: count,
      active: count,
      lines: count,
      ...positionCounts,
      load_w: measured,
      energy_today_kwh: measured,
      energy_yesterday_kwh: measured,
      /** Beginning of this month in the time zone of the counts. */
      month_from: z.iso.datetime(),
      month_raised: count,
      month_processed: count,
      month_handling_rate: z.number().nullable(),
    }),
  }),
  latest: endpoint({
    method: 'POST',
    path: '/index/getDeviceWarnList',
    permission: 'dashboard.read',
    body: z.strictObject({ limit: integer.pipe(z.int().min(1).max(100)).default(20) }),
    reply: z.object({ list: z.array(alarmRow) }),
  }),
  /**
   * Every project in scope as a point of the map, with only the data of its mark, because there may be
   * thousands.
   */
  places: endpoint({
    method: 'POST',
    path: '/index/getProjectPlace',
    permission: 'dashboard.read',
    body: nothing,
    reply: z.object({ list: z.array(place) }),
  }),
  /** Details of the projects under a mark, in the order of their ids. */
  placeDetails: endpoint({
    method: 'POST',
    path: '/index/get_project_places',
    permission: 'dashboard.read',
    body: z.strictObject({ project_ids: selectionOf(id, 10_000) }),
    reply: z.object({
      list: z.array(
        z.object({
          project_id: z.int(),
          name: z.string(),
          kind: z.string(),
          /** From the province down, in the reader's language. */
          region: z.string(),
          devices: count,
          online: count,
          unprocessed: count,
          active: count,
          worst: z.int(),
        }),
      ),
    }),
  }),
  /** Alarms per day and level over the last `days` days, oldest first, in the caller's site zone. */
  trend: endpoint({
    method: 'POST',
    path: '/index/warin_type_trend',
    permission: 'dashboard.read',
    body: z.strictObject({ days: integer.pipe(z.int().min(1).max(92)).default(30), project_id: filter(id) }),
    reply: z.object({
      days: z.array(
        z.object({ day: z.string(), ...period, alarms: count, early_warnings: count, processed: count }),
      ),
    }),
  }),
  /** Today until now, yesterday until the same time, and yesterday as a whole. */
  comparison: endpoint({
    method: 'POST',
    path: '/index/waringCensus',
    permission: 'dashboard.read',
    body: nothing,
    reply: z.object({
      today: count,
      yesterday_same_time: count,
      yesterday: count,
      growth: z.number().nullable(),
      hours: z.array(z.object({ hour: z.int(), today: count.nullable(), yesterday: count })),
    }),
  }),
  /** By month: raised, processed, handling rate, growth since the previous month. */
  months: endpoint({
    method: 'POST',
    path: '/index/warinCensusGrew',
    permission: 'dashboard.read',
    body: nothing,
    reply: z.object({
      months: z.array(
        z.object({
          month: z.string(),
          ...period,
          raised: count,
          processed: count,
          handling_rate: z.number().nullable(),
          growth: z.number().nullable(),
        }),
      ),
    }),
  }),
  spread: endpoint({
    method: 'POST',
    path: '/index/warin_type_spread',
    permission: 'dashboard.read',
    body: z.strictObject({ days: integer.pipe(z.int().min(1).max(366)).default(30) }),
    reply: z.object({
      ...period,
      types: z.array(z.object({ typeNumber: z.int(), count: count, unprocessed: count })),
    }),
  }),
};
