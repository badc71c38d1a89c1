import * as z from 'zod';
import { endpoint, filter, id, instant, integer, listBody, listReply } from './endpoint.ts';

const share = z.number().nullable();

export const projectRow = z.object({
  project_id: z.int(),
  project_codeid: z.string(),
  name: z.string(),
  kind: z.string(),
  region_id: z.int(),
  region: z.string(),
  address: z.string(),
  contact_name: z.string(),
  contact_phone: z.string(),
  area_m2: z.number().nullable(),
  lat: z.number(),
  lng: z.number(),
  time_zone: z.string(),
  nominal_voltage: z.int(),
  joined_at: instant,
  devices: z.int(),
  devices_online: z.int(),
  /** Online now of the bound devices, 0 to 1; null without devices. */
  online_rate: share,
  unprocessed: z.int(),
  /** Worst level among unprocessed active alarms: 0 none, 1 early warning, 2 alarm. */
  worst: z.int(),
  /** Raised in this month of the project's zone, and those of them that are processed. */
  month_raised: z.int(),
  month_processed: z.int(),
  month_handling_rate: share,
  revision: z.int(),
});

export const projectEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/Project/get_project_list',
    permission: 'project.read',
    body: listBody(
      {
        project_name: filter(z.string().trim().max(100)),
        /** A province, city or district, with all that lies below it. */
        region_id: filter(id),
      },
      ['name', 'joined_at'],
    ),
    reply: listReply(projectRow),
  }),
  /** For filters and pickers: names only, with their parts. */
  options: endpoint({
    method: 'POST',
    path: '/project/options',
    permission: 'project.read',
    body: z.strictObject({
      name: filter(z.string().trim().max(100)),
      project_id: filter(id),
      limit: integer.pipe(z.int().min(1).max(200)).default(50),
    }),
    reply: z.object({
      list: z.array(
        z.object({
          project_id: z.int(),
          name: z.string(),
          parts: z.array(z.object({ part_id: z.int(), name: z.string() })),
        }),
      ),
    }),
  }),
};
