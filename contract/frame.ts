import * as z from 'zod';
import { alarmEndpoints } from './alarms.ts';
import { dashboardEndpoints } from './dashboard.ts';
import { deviceJobEndpoints } from './device-jobs.ts';
import { endpoint } from './endpoint.ts';
import { frameCall } from './frame-parts.ts';
import { messageEndpoints } from './messages.ts';
import { noticeEndpoints } from './notices.ts';

export const frameEndpoints = {
  /**
   * Each part is what its own call answers, with the permission and scope of that call; null: the caller may not make
   * it, or it was refused.
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
};
