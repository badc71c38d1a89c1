import * as z from 'zod';
import {
  chosen,
  chosenDevice,
  chosenProject,
  endpoint,
  filter,
  id,
  instant,
  integer,
  listBody,
  listReply,
  nothing,
  outcomeOfRows,
  rowResult,
  selectionOf,
} from './endpoint.ts';
import { lineAges, lineState, positionCounts } from './lines.ts';
import { personName, phoneNumber } from './people.ts';
import { tagBadge } from './tags.ts';
import { deviceNumberPattern } from './telemetry.ts';

export const projectKinds = [
  ...(['office', 'factory', 'dormitory', 'mall', 'hospital', 'data_centre', 'school', 'hotel'] as const),
  ...(['market', 'warehouse', 'metro_depot', 'residential', 'other'] as const),
] as const;
/** Line to neutral, V. Source: IEC 60038, table 1, and older systems that are still in use. */
export const nominalVoltages = [100, 110, 120, 127, 220, 230, 240] as const;
const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
};
const share = z.number().nullable();

export const projectRow = z.object({
  project_id: z.int(),
  project_codeid: z.string(),
  name: z.string(),
  kind: z.string(),
  region_id: z.int(),
  region: z.string(),
  address: z.string(),
  detailed_address: z.string(),
  contact_name: z.string(),
  contact_phone: z.string(),
  area_m2: z.number().nullable(),
  /** Power that the supply contract allows the site. */
  contract_kw: z.number().nullable(),
  lat: z.number(),
  lng: z.number(),
  time_zone: z.string(),
  nominal_voltage: z.int(),
  joined_at: instant,
  devices: z.int(),
  devices_online: z.int(),
  /** Online share of the bound devices, 0 to 1; null without devices. */
  online_rate: share,
  ...positionCounts,
  /** Lines that a trip has opened. */
  lines_tripped: z.int(),
  unprocessed: z.int(),
  /** Worst level among unprocessed active alarms: 0 none, 1 early warning, 2 alarm. */
  worst: z.int(),
  /** Raised in this month of the project's zone, and those of them that are processed. */
  month_raised: z.int(),
  month_processed: z.int(),
  month_handling_rate: share,
  month_unprocessed_rate: share,
  /** The active tags on the project itself. */
  tags: z.array(tagBadge),
  revision: z.int(),
});

const text = (most: number) => z.string().trim().max(most);
const coordinate = (most: number) => z.number().min(-most).max(most);
const fields = {
  name: z.string({ error: 'project.name' }).trim().min(1, 'project.name').max(60, 'project.name'),
  kind: z.enum(projectKinds),
  region_id: chosen('region.choose'),
  address: text(200),
  detailed_address: text(200),
  contact_name: personName,
  contact_phone: phoneNumber,
  area_m2: z.number().gt(0).max(100_000_000).nullable(),
  contract_kw: z.number().gt(0).max(10_000_000).nullable(),
  lat: coordinate(90),
  lng: coordinate(180),
  time_zone: z.string().max(60).refine(isTimeZone, 'project.zone'),
  nominal_voltage: integer.pipe(z.literal(nominalVoltages)),
};
const isPoint = ({ lat, lng }: { lat?: number | undefined; lng?: number | undefined }): boolean =>
  (lat === undefined) === (lng === undefined);
const pointFault = { error: 'map.choose', path: ['lat'] };
const projectForm = z.object({
  project_id: z.int(),
  project_codeid: z.string(),
  name: z.string(),
  kind: z.string(),
  region_id: z.int(),
  /** From the province down to the region, for a cascade. */
  region_ids: z.array(z.int()),
  region: z.string(),
  address: z.string(),
  detailed_address: z.string(),
  contact_name: z.string(),
  contact_phone: z.string(),
  area_m2: z.number().nullable(),
  contract_kw: z.number().nullable(),
  lat: z.number(),
  lng: z.number(),
  time_zone: z.string(),
  nominal_voltage: z.int(),
  joined_at: instant,
  revision: z.int(),
});
const mostProjectsAtOnce = 100;
/** What is affected when a project is deleted, and what prevents it. */
export const projectDependents = z.object({
  project_id: z.int(),
  name: z.string(),
  devices: z.int(),
  lines_closed: z.int(),
  timers: z.int(),
  unprocessed: z.int(),
  /** Accounts that lose this project, and how many of them have no other. */
  users: z.int(),
  users_left_without: z.int(),
  /** Lock-out tags on the project, its devices or lines: a project with any is not deleted. */
  tags: z.int(),
});
const projectFilters = {
  project_name: filter(z.string().trim().max(100)),
  /** A province, city or district, including everything below it. */
  region_id: filter(id),
};
/** Maximum number of devices in a diagram. */
export const mostInDiagram = 300;
const diagramLine = z.object({
  line_id: z.int(),
  n: z.int(),
  name: z.string(),
  rated_current: z.number().nullable(),
  switchable: z.boolean(),
  critical: z.boolean(),
  state: lineState,
  ...lineAges,
  /** A, W; null: not measured. */
  current: z.number().nullable(),
  power: z.number().nullable(),
  /** Worst level among its unprocessed active alarms; 0: none. */
  worst: z.int(),
});
const partName = z.string({ error: 'part.name' }).trim().min(1, 'part.name').max(60, 'part.name');
const projectPart = z.object({
  part_id: z.int(),
  project_id: z.int(),
  name: z.string(),
  devices: z.int(),
  users: z.int(),
});

export const projectEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/Project/get_project_list',
    permission: 'project.read',
    body: listBody(projectFilters, ['name', 'joined_at']),
    reply: listReply(projectRow),
  }),
  /** What the filter shows as .xlsx, by name. */
  export: endpoint({
    method: 'POST',
    path: '/Project/export',
    permission: 'project.read',
    stream: true,
    body: z.strictObject(projectFilters),
    reply: z.unknown(),
  }),
  /** A project as its form shows it. */
  form: endpoint({
    method: 'GET',
    path: '/Project/edit_project',
    permission: 'project.read',
    body: z.strictObject({ project_id: chosenProject }),
    reply: projectForm,
  }),
  /** Edits a project; only given fields change. Another region needs the permission to create projects. */
  /** Another nominal voltage asks for the password, because it changes the limits of all devices. */
  edit: endpoint({
    method: 'POST',
    path: '/Project/edit_project',
    permission: 'project.write',
    log: 'project.edit',
    secret: ['password'],
    body: z
      .strictObject({
        project_id: chosenProject,
        revision: integer.pipe(z.int().min(1)),
        ...z.object(fields).partial().shape,
        password: z.string().max(200).optional(),
      })
      .refine(isPoint, pointFault),
    reply: projectForm,
  }),
  /**
   * Adds a project and the account of its administrator (role 3). Without coordinates the region's are used.
   */
  add: endpoint({
    method: 'POST',
    path: '/Project/add_project',
    permission: 'project.create',
    log: 'project.add',
    secret: ['password'],
    body: z
      .strictObject({
        ...fields,
        kind: fields.kind.default('other'),
        address: fields.address.default(''),
        detailed_address: fields.detailed_address.default(''),
        area_m2: fields.area_m2.optional(),
        contract_kw: fields.contract_kw.optional(),
        lat: fields.lat.optional(),
        lng: fields.lng.optional(),
        time_zone: fields.time_zone.default('Asia/Shanghai'),
        nominal_voltage: fields.nominal_voltage.default(220),
        /** User name of the administrator's account; absent: the contact phone. */
        username: filter(z.string().trim().min(1, 'field.account').max(64, 'field.account')),
        /** Password of that account; its form depends on the installation's policy. */
        password: z.string({ error: 'user.password' }).min(1, 'user.password').max(200, 'field.password'),
      })
      .refine(isPoint, pointFault),
    reply: z.object({
      project_id: z.int(),
      project_codeid: z.string(),
      user_id: z.int(),
      username: z.string(),
    }),
  }),
  /** What depends on projects, shown before they are deleted. */
  dependents: endpoint({
    method: 'POST',
    path: '/project/dependents',
    permission: 'project.delete',
    body: z.strictObject({ project_ids: selectionOf(id, mostProjectsAtOnce, 'project.choose') }),
    reply: z.object({ list: z.array(projectDependents) }),
  }),
  /**
   * Deletes projects: their devices are unbound, they are hidden from everybody, and history stays. `devices`
   * is the confirmed number of devices; if it has changed, the whole call is refused.
   */
  delete: endpoint({
    method: 'POST',
    path: '/Project/delete_project',
    permission: 'project.delete',
    log: 'project.delete',
    body: z.strictObject({
      project_ids: selectionOf(id, mostProjectsAtOnce, 'project.choose'),
      devices: filter(integer.pipe(z.int().min(0))),
    }),
    reply: z.object({ results: z.array(rowResult.extend({ message: z.string().optional() })) }),
    outcome: outcomeOfRows,
  }),
  /** The address in a project's QR code: its project view, after sign-in. */
  qrcode: endpoint({
    method: 'POST',
    path: '/Project/qrcode',
    permission: 'project.read',
    body: z.strictObject({ project_id: chosenProject }),
    reply: z.object({ project_id: z.int(), name: z.string(), url: z.url() }),
  }),
  /** Which of these device numbers can be bound to a project, in the requested order. */
  findDevices: endpoint({
    method: 'POST',
    path: '/project/find_devices',
    permission: 'project.bind',
    body: z.strictObject({
      project_id: chosenProject,
      numbers: selectionOf(
        z.string({ error: 'device.number' }).trim().regex(deviceNumberPattern, 'device.number'),
        500,
        'setting.devices',
      ),
    }),
    reply: z.object({
      list: z.array(
        z.object({
          number: z.string(),
          /** `missing`: no such device, or none that the caller may see. */
          state: z.enum(['unbound', 'here', 'elsewhere', 'missing']),
          device_id: z.int().nullable(),
          name: z.string(),
          type: z.int().nullable(),
          project_name: z.string(),
        }),
      ),
    }),
  }),
  /** The single-line diagram of a site: its devices in their order, with the live state and load of each line. */
  diagram: endpoint({
    method: 'POST',
    path: '/project/diagram',
    permission: 'line.read',
    body: z.strictObject({ project_id: chosenProject }),
    reply: z.object({
      project_id: z.int(),
      name: z.string(),
      /** There are more devices than shown. */
      truncated: z.boolean(),
      devices: z.array(
        z.object({
          device_id: z.int(),
          number: z.string(),
          name: z.string(),
          type: z.int(),
          online: z.boolean(),
          interval_seconds: z.int(),
          /** The device is at the incoming supply of the site. */
          incoming: z.boolean(),
          part_name: z.string(),
          lines: z.array(diagramLine),
        }),
      ),
    }),
  }),
  /** Saves the order of the diagram, and which devices are at the incoming supply. */
  arrange: endpoint({
    method: 'POST',
    path: '/project/arrange_diagram',
    permission: 'project.write',
    log: 'project.arrange',
    body: z.strictObject({
      project_id: chosenProject,
      devices: z
        .array(z.strictObject({ device_id: chosenDevice, incoming: z.boolean() }))
        .min(1, 'selection.none')
        .max(mostInDiagram),
    }),
    reply: nothing,
  }),
  parts: endpoint({
    method: 'POST',
    path: '/project/get_parts',
    permission: 'project.read',
    body: z.strictObject({ project_id: chosenProject }),
    reply: z.object({ list: z.array(projectPart) }),
  }),
  addPart: endpoint({
    method: 'POST',
    path: '/project/add_part',
    permission: 'project.write',
    log: 'part.add',
    body: z.strictObject({ project_id: chosenProject, name: partName }),
    reply: projectPart,
  }),
  editPart: endpoint({
    method: 'POST',
    path: '/project/edit_part',
    permission: 'project.write',
    log: 'part.edit',
    body: z.strictObject({ part_id: id, name: partName }),
    reply: projectPart,
  }),
  /** Refused while the part contains a device or an account. */
  deletePart: endpoint({
    method: 'POST',
    path: '/project/delete_part',
    permission: 'project.write',
    log: 'part.delete',
    body: z.strictObject({ part_id: id }),
    reply: nothing,
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

/** A mock endpoint of the specification: the list of projects under another path. */
export const tableListEndpoint = { ...projectEndpoints.list, path: '/table_list' };
