import * as z from 'zod';
import {
  chosenProject,
  endpoint,
  filter,
  id,
  instant,
  integer,
  listBody,
  listReply,
  longId,
} from './endpoint.ts';
import { personName, phoneNumber } from './people.ts';

export const maintenanceKinds = ['routine', 'inspection', 'repair', 'replacement'] as const;
export const mostMaintenanceImages = 6;
const mostLinks = 50;

const maintenanceRow = z.object({
  record_id: z.int(),
  kind: z.enum(maintenanceKinds),
  project_id: z.int(),
  project_name: z.string(),
  part_id: z.int().nullable(),
  /** The name at the time of writing. */
  device_id: z.int().nullable(),
  device_number: z.string(),
  device_name: z.string(),
  address: z.string(),
  maintenance_time: instant,
  handler_name: z.string(),
  handler_phone: z.string(),
  content: z.string(),
  fault_content: z.string(),
  result: z.string(),
  suggestion: z.string(),
  before_images: z.array(z.uuid()),
  after_images: z.array(z.uuid()),
  lines: z.array(z.object({ line_id: z.int(), n: z.int(), name: z.string() })),
  alarms: z.array(z.object({ id: z.int(), work_order: z.string(), typeNumber: z.int() })),
  author: z.string(),
  created_at: instant,
  revision: z.int(),
});
export type MaintenanceRow = z.output<typeof maintenanceRow>;

const text = (most: number) => z.string().trim().max(most);
const images = z.array(z.uuid({ error: 'upload.missing' })).max(mostMaintenanceImages, 'maintenance.images');
const fields = {
  project_id: chosenProject,
  device_id: id.nullable().default(null),
  kind: z.enum(maintenanceKinds).default('routine'),
  address: text(200).default(''),
  maintenance_time: instant,
  handler_name: personName,
  handler_phone: phoneNumber,
  content: z
    .string({ error: 'maintenance.content' })
    .trim()
    .min(1, 'maintenance.content')
    .max(2000, 'maintenance.content'),
  fault_content: text(2000).default(''),
  result: text(2000).default(''),
  suggestion: text(2000).default(''),
  before_images: images.default([]),
  after_images: images.default([]),
  /** Lines of the device that the work concerned. */
  line_ids: z.array(id).max(mostLinks).default([]),
  /** Alarms of the project that the work concerned. */
  alarm_ids: z.array(longId).max(mostLinks).default([]),
};
const filters = {
  project_id: filter(id),
  device_id: filter(id),
  device_number: filter(z.string().trim().max(64)),
  alarm_id: filter(longId),
  kind: filter(z.enum(maintenanceKinds)),
  handler: filter(z.string().trim().max(60)),
  /** Text in content, fault, result or suggestion. */
  keyword: filter(z.string().trim().max(100)),
  from: filter(instant),
  to: filter(instant),
};

export const maintenanceEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/maintenance/get_list',
    permission: 'maintenance.read',
    body: listBody(filters, ['maintenance_time']),
    reply: listReply(maintenanceRow),
  }),
  read: endpoint({
    method: 'POST',
    path: '/maintenance/get_record',
    permission: 'maintenance.read',
    body: z.strictObject({ record_id: id }),
    reply: maintenanceRow,
  }),
  /** What the filter shows as .xlsx, the newest first. */
  export: endpoint({
    method: 'POST',
    path: '/maintenance/export',
    permission: 'maintenance.read',
    stream: true,
    body: z.strictObject(filters),
    reply: z.unknown(),
  }),
  add: endpoint({
    method: 'POST',
    path: '/maintenance/add_record',
    permission: 'maintenance.write',
    log: 'maintenance.add',
    body: z.strictObject(fields),
    reply: maintenanceRow,
  }),
  /** Replaces the whole record. */
  edit: endpoint({
    method: 'POST',
    path: '/maintenance/edit_record',
    permission: 'maintenance.write',
    log: 'maintenance.edit',
    body: z.strictObject({ ...fields, record_id: id, revision: integer.pipe(z.int().min(1)) }),
    reply: maintenanceRow,
  }),
  delete: endpoint({
    method: 'POST',
    path: '/maintenance/del_record',
    permission: 'maintenance.write',
    log: 'maintenance.delete',
    body: z.strictObject({ record_id: id }),
    reply: z.strictObject({}),
  }),
};
