import * as z from 'zod';
import { endpoint, integer } from './endpoint.ts';
import { han } from './pinyin.ts';

export const searchGroups = [
  ...(['projects', 'devices', 'lines', 'alarms', 'alarm_types', 'regions', 'people', 'persons'] as const),
] as const;
export type SearchGroup = (typeof searchGroups)[number];
export const longestSearch = 64;
/** A text of one letter or digit finds too much to be of use; one Chinese character is a word. */
export const isSearchable = (text: string): boolean => [...text].length > 1 || han.test(text);

export const searchEndpoints = {
  /**
   * One search over everything in scope: by name, number, IMEI, ICCID, phone, work order, and Chinese names
   * also by pinyin or its initials. Regions are those with the caller's projects, `people` have an account,
   * `persons` are contacts without one. A group that the caller may not read is empty; `more` names groups
   * with further hits.
   */
  find: endpoint({
    method: 'POST',
    path: '/search/find',
    permission: 'signedIn',
    body: z.strictObject({
      text: z.string().trim().max(longestSearch).refine(isSearchable, 'search.short'),
      /** Maximum number of hits in each group. */
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
          /** The caller's unprocessed alarms. */
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
      /** Groups with more hits than listed. */
      more: z.array(z.enum(searchGroups)),
    }),
  }),
};
