import { nothing } from './endpoint.ts';

/**
 * The data of the frame around every screen of the console in one call, so that a first view needs one
 * request.
 */
export const frameCall = {
  method: 'POST',
  path: '/index/frame',
  permission: 'signedIn',
  body: nothing,
} as const;

/** The call and body that each part answers. While the console is open, only these calls are repeated. */
export const frameParts = {
  census: { path: '/index/census', body: {} },
  messages: { path: '/system_message/getMessageType', body: {} },
  flood: { path: '/device_warning/flood', body: {} },
  popups: { path: '/device_warning/bullet_frame', body: {} },
  jobs: { path: '/device_job/get_list', body: { running: true, limit: 3 } },
} as const;

/** The panels of the overview. The projects on its map come by a separate call, because there may be thousands. */
export const overviewCall = {
  method: 'POST',
  path: '/index/overview',
  permission: 'dashboard.read',
  body: nothing,
} as const;
/** How many rows and days its panels show. */
export const overviewShows = { rows: 20, days: 30 } as const;
export const overviewParts = {
  layout: { path: '/index/Setting', body: {} },
  latest: { path: '/index/getDeviceWarnList', body: { limit: overviewShows.rows } },
  sites: { path: '/index/get_site_ranking', body: { limit: overviewShows.rows } },
  trend: { path: '/index/warin_type_trend', body: { days: overviewShows.days } },
  comparison: { path: '/index/waringCensus', body: {} },
  months: { path: '/index/warinCensusGrew', body: {} },
  spread: { path: '/index/warin_type_spread', body: { days: overviewShows.days } },
} as const;
