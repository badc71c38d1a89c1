import * as z from 'zod';
import { alarmEndpoints } from './alarms.ts';
import { dashboardEndpoints } from './dashboard.ts';
import { deviceJobEndpoints } from './device-jobs.ts';
import { endpoint } from './endpoint.ts';
import { frameCall, overviewCall } from './frame-parts.ts';
import { messageEndpoints } from './messages.ts';
import { noticeEndpoints } from './notices.ts';

export const frameEndpoints = {
  /**
   * Each part is the reply of its own call, with that call's permission and scope; null: the caller may not
   * make it, or it was refused.
   */
  frame: endpoint({
    ...frameCall,
    reply: z.object({
      census: dashboardEndpoints.census.reply.nullable(),
      messages: messageEndpoints.types.reply.nullable(),
      flood: alarmEndpoints.flood.reply.nullable(),
      popups: noticeEndpoints.popup.reply.nullable(),
      jobs: deviceJobEndpoints.list.reply.nullable(),
    }),
  }),
  /** The panels of the overview; each is the reply of its own call, as the parts of the frame are. */
  overview: endpoint({
    ...overviewCall,
    reply: z.object({
      layout: dashboardEndpoints.setting.reply.nullable(),
      latest: dashboardEndpoints.latest.reply.nullable(),
      sites: dashboardEndpoints.sites.reply.nullable(),
      trend: dashboardEndpoints.trend.reply.nullable(),
      comparison: dashboardEndpoints.comparison.reply.nullable(),
      months: dashboardEndpoints.months.reply.nullable(),
      spread: dashboardEndpoints.spread.reply.nullable(),
    }),
  }),
};
