import * as z from 'zod';
import { endpoint, integer } from './endpoint.ts';

export const searchGroups = [
  ...(['projects', 'devices', 'lines', 'alarms', 'alarm_types', 'regions', 'people', 'persons'] as const),
] as const;
export type SearchGroup = (typeof searchGroups)[number];
/** Texts shorter than this find too much to be of use. */
export const shortestSearch = 2;

export const searchEndpoints = {
  /**
   * One box over everything in scope: by name, number, IMEI, ICCID, phone, work order, and Chinese names also by pinyin
   * or its initials. Regions are those with projects of the caller's, `people` have an account, `persons` are called
   * when something happens. A group that the caller may not read is empty; `more` says that it has further hits.
   */
  find: endpoint({
    method: 'POST',
    path: '/search/find',
    permission: 'signedIn',
    body: z.strictObject({
      text: z.string().trim().min(shortestSearch, 'search.short').max(64),
      /** Hits of each group. */
      limit: integer.pipe(z.int().min(1).max(50)).default(6),
    }),
    reply: z.object({
      projects: z.array(
        z.object({
          project_id: z.int(),
          name: z.string(),
          address: z.string(),
          contact_name: z.string(),
          contact_phone: z.string(),
        }),
      ),
      devices: z.array(
        z.object({
          device_id: z.int(),
          number: z.string(),
          name: z.string(),
          project_name: z.string(),
          online: z.boolean(),
        }),
      ),
      lines: z.array(
        z.object({
          line_id: z.int(),
          device_id: z.int(),
          n: z.int(),
          name: z.string(),
          device_number: z.string(),
          project_name: z.string(),
        }),
      ),
      alarms: z.array(
        z.object({
          id: z.int(),
          work_order: z.string(),
          typeNumber: z.int(),
          project_name: z.string(),
          device_number: z.string(),
        }),
      ),
      alarm_types: z.array(
        z.object({
          typeNumber: z.int(),
          /** Of the caller's alarms, those that wait. */
          unprocessed: z.int(),
        }),
      ),
      regions: z.array(
        z.object({
          region_id: z.int(),
          /** From the province down, in the caller's language. */
          name: z.string(),
          /** The caller's projects in it. */
          projects: z.int(),
        }),
      ),
      people: z.array(
        z.object({
          user_id: z.int(),
          username: z.string(),
          nickname: z.string(),
          mobile: z.string(),
        }),
      ),
      persons: z.array(
        z.object({
          person_id: z.int(),
          name: z.string(),
          mobile: z.string(),
          position: z.string(),
        }),
      ),
      /** Groups with more hits than these. */
      more: z.array(z.enum(searchGroups)),
    }),
  }),
};
