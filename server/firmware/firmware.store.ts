import { sql } from 'kysely';
import { sentence } from '#contract/faults/codes.ts';
import type {
  FirmwareVersion,
  Rollout,
  RolloutDevice,
  RolloutDeviceState,
  RolloutState,
} from '#contract/firmware.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { messageOf, reasonSentence } from '#server/core/reason.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

interface Viewer {
  userId: number;
  scope: Scope;
}
/** The address that devices get for a version. */
export type AddressOf = (version: { link: string | null; token: string | null }) => string;

/** A reason of the guard or of the device as a sentence; a code that only the device knows is within one. */
const whyFailed = (reason: string | null, language: Language): string | null => {
  if (reason === 'sha256') return sentence('firmware.received', language);
  const known = reasonSentence(reason, language);
  return known !== null && known === reason
    ? sentence('firmware.failedWith', language, { error: reason })
    : known;
};

interface StoredVersion {
  id: number;
  mac_type: number;
  mac_name: string;
  app_version: string;
  platform_version: string;
  link: string | null;
  token: string | null;
  size: number;
  sha256: string;
  notes: string;
  enabled: boolean;
  created_by: string;
  created_at: Date;
  revision: number;
  signed_by: string;
  devices: number;
  devices_of_type: number;
}
const versionsWith = (scope: Scope) => sql`
  select v.*, k.name as signed_by, d.devices, d.devices_of_type from firmware_versions v
  join firmware_keys k on k.id = v.key_id
  cross join lateral (
    select count(*) filter (where devices.firmware = v.app_version)::int as devices, count(*)::int as devices_of_type
    from devices where devices.type = v.mac_type and ${notDeleted('devices')}
      and ${inScope(scope, 'devices.project_id', 'devices.part_id')}) d
  where ${notDeleted('v')}`;

const shownVersion = (row: StoredVersion, addressOf: AddressOf): FirmwareVersion => ({
  version_id: row.id,
  mac_type: row.mac_type,
  mac_name: row.mac_name,
  appVersion: row.app_version,
  platformVersion: row.platform_version,
  appUrl: addressOf(row),
  uploaded: row.link === null,
  status: row.enabled ? 'enabled' : 'disabled',
  size: row.size,
  sha256: row.sha256,
  signed_by: row.signed_by,
  notes: row.notes,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  devices: row.devices,
  devices_of_type: row.devices_of_type,
  revision: row.revision,
});

interface StoredRollout {
  id: number;
  version_id: number;
  mac_type: number;
  mac_name: string;
  app_version: string;
  state: RolloutState;
  reason: string | null;
  canary_percent: number;
  wave_percent: number;
  per_minute: number;
  step_minutes: number;
  stop_percent: number;
  wave: number;
  waves: number;
  total: number;
  author: string;
  created_at: Date;
  ended_at: Date | null;
  counts: Partial<Record<RolloutDeviceState, number>>;
}
const rolloutsWith = sql`
  select r.*, v.mac_type, v.mac_name, v.app_version, c.counts from rollouts r
  join firmware_versions v on v.id = r.version_id
  cross join lateral (select coalesce(jsonb_object_agg(state, n), '{}') as counts
    from (select state, count(*)::int as n from rollout_devices where rollout_id = r.id group by state) each) c`;
/** Users who see every project see every rollout, others their own. */
const visible = ({ userId, scope }: Viewer) => (scope.all ? sql`true` : sql`r.author_id = ${userId}`);

const shownRollout = (row: StoredRollout, language: Language): Rollout => ({
  rollout_id: row.id,
  version_id: row.version_id,
  mac_type: row.mac_type,
  mac_name: row.mac_name,
  appVersion: row.app_version,
  state: row.state,
  message: messageOf(row.reason, { percent: row.stop_percent }, language),
  canary_percent: row.canary_percent,
  wave_percent: row.wave_percent,
  per_minute: row.per_minute,
  step_minutes: row.step_minutes,
  stop_percent: row.stop_percent,
  wave: row.wave,
  waves: row.waves,
  total: row.total,
  counts: row.counts,
  author: row.author,
  created_at: row.created_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
});

export const firmwareStore = (db: Db) => ({
  async versions(
    scope: Scope,
    given: {
      page: number;
      limit: number;
      sort?: string | undefined;
      mac_type?: number | undefined;
      status?: string | undefined;
    },
    addressOf: AddressOf,
  ) {
    const where = sql`${given.mac_type === undefined ? sql`true` : sql`mac_type = ${given.mac_type}`} and ${
      given.status === undefined ? sql`true` : sql`enabled = ${given.status === 'enabled'}`
    }`;
    const order = {
      created_at: sql`created_at, id`,
      mac_type: sql`mac_type, created_at desc, id`,
      '-mac_type': sql`mac_type desc, created_at desc, id`,
    }[given.sort ?? ''];
    const [counted, { rows }] = await Promise.all([
      sql<{ total: number }>`
        select count(*)::int as total from firmware_versions where ${notDeleted('firmware_versions')} and ${where}`.execute(
        db,
      ),
      sql<StoredVersion>`
        select * from (${versionsWith(scope)}) v where ${where} order by ${order ?? sql`created_at desc, id`}
        limit ${given.limit} offset ${(given.page - 1) * given.limit}`.execute(db),
    ]);
    const list = rows.map((row) => shownVersion(row, addressOf));
    return { list, total: counted.rows[0]!.total, page: given.page, limit: given.limit };
  },
  /** Throws `firmware.missing`. */
  async version(scope: Scope, id: number, addressOf: AddressOf): Promise<FirmwareVersion> {
    const { rows } =
      await sql<StoredVersion>`select * from (${versionsWith(scope)}) v where id = ${id}`.execute(db);
    return rows[0] ? shownVersion(rows[0], addressOf) : fault('firmware.missing');
  },

  /** Throws `thing.missing` for an unknown rollout and for another user's. */
  async rollout(viewer: Viewer, id: number, language: Language): Promise<Rollout> {
    const { rows } =
      await sql<StoredRollout>`${rolloutsWith} where r.id = ${id} and ${visible(viewer)}`.execute(db);
    return rows[0] ? shownRollout(rows[0], language) : fault('thing.missing');
  },
  async rollouts(
    viewer: Viewer,
    given: {
      page: number;
      limit: number;
      sort?: string | undefined;
      state?: RolloutState | undefined;
      version_id?: number | undefined;
    },
    language: Language,
  ) {
    const where = sql`${visible(viewer)} and ${given.state === undefined ? sql`true` : sql`r.state = ${given.state}`}
      and ${given.version_id === undefined ? sql`true` : sql`r.version_id = ${given.version_id}`}`;
    const order = given.sort === 'created_at' ? sql`asc` : sql`desc`;
    const [counted, { rows }] = await Promise.all([
      sql<{ total: number }>`select count(*)::int as total from rollouts r where ${where}`.execute(db),
      sql<StoredRollout>`
        ${rolloutsWith} where ${where} order by r.created_at ${order}, r.id ${order}
        limit ${given.limit} offset ${(given.page - 1) * given.limit}`.execute(db),
    ]);
    const list = rows.map((row) => shownRollout(row, language));
    return { list, total: counted.rows[0]!.total, page: given.page, limit: given.limit };
  },

  /** Devices of a rollout that the viewer may see; those that moved to another owner since are left out. */
  async devices(
    viewer: Viewer,
    given: {
      rollout_id: number;
      state?: RolloutDeviceState | undefined;
      page: number;
      limit: number;
      sort?: string | undefined;
    },
    language: Language,
  ) {
    await this.rollout(viewer, given.rollout_id, language);
    const where = sql`rd.rollout_id = ${given.rollout_id}
      and ${given.state === undefined ? sql`true` : sql`rd.state = ${given.state}`}
      and ${inScope(viewer.scope, 'd.project_id', 'd.part_id')}`;
    const order = {
      updated_at: sql`rd.updated_at, rd.device_id`,
      '-updated_at': sql`rd.updated_at desc, rd.device_id`,
      '-wave': sql`rd.wave desc, rd.device_id`,
    }[given.sort ?? ''];
    const from = sql`from rollout_devices rd join devices d on d.id = rd.device_id
      left join projects p on p.id = d.project_id where ${where}`;
    const [counted, { rows }] = await Promise.all([
      sql<{ total: number }>`select count(*)::int as total ${from}`.execute(db),
      sql<
        Omit<RolloutDevice, 'message' | 'updated_at'> & {
          reason: string | null;
          reason_with: Record<string, string | number>;
          updated_at: Date;
        }
      >`
        select rd.device_id, d.number, d.name, p.name as project_name, rd.wave, rd.state, rd.percent, rd.from_version,
          d.firmware as version, rd.reason, rd.reason_with, rd.tries, rd.updated_at
        ${from} order by ${order ?? sql`rd.wave, rd.device_id`}
        limit ${given.limit} offset ${(given.page - 1) * given.limit}`.execute(db),
    ]);
    return {
      list: rows.map(({ reason, reason_with, updated_at, ...row }) => ({
        ...row,
        message: messageOf(reason, reason_with, language) ?? whyFailed(reason, language),
        updated_at: updated_at.toISOString(),
      })),
      total: counted.rows[0]!.total,
      page: given.page,
      limit: given.limit,
    };
  },
});
