import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { wavesOf } from '#server/firmware/firmware.rules.ts';
import { patienceMs } from './patience.ts';
import { eventually } from './wait.ts';

/** A running rollout of a version with a link, as `/version/start_rollout` writes it. */
export const makeRollout = async (
  db: Db,
  given: {
    deviceIds: readonly number[];
    authorId: number;
    type: number;
    to: string;
    canary?: number;
    wave?: number;
    stop?: number;
  },
): Promise<number> => {
  const at = new Date();
  const key = await db
    .insertInto('firmware_keys')
    .values({
      name: given.to,
      public_key: createHash('sha256').update(given.to).digest(),
      added_by: 'x',
      added_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const version = await db
    .insertInto('firmware_versions')
    .values({
      mac_type: given.type,
      mac_name: 'Switch',
      app_version: given.to,
      platform_version: '1',
      link: 'https://vendor.example/sw.bin',
      token: null,
      size: 1000,
      sha256: createHash('sha256').update('firmware').digest('hex'),
      signature: Buffer.alloc(64),
      key_id: key.id,
      created_by: 'x',
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const [canary_percent, wave_percent] = [given.canary ?? 100, given.wave ?? 100];
  const waves = wavesOf(given.deviceIds.length, canary_percent, wave_percent);
  const { id } = await db
    .insertInto('rollouts')
    .values({
      version_id: version.id,
      state: 'running',
      canary_percent,
      wave_percent,
      per_minute: 600,
      step_minutes: 1,
      stop_percent: given.stop ?? 10,
      waves: waves.at(-1)!,
      total: given.deviceIds.length,
      author_id: given.authorId,
      author: 'x',
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const places = await db
    .selectFrom('devices')
    .select(['id', 'project_id'])
    .where('id', 'in', [...given.deviceIds])
    .execute();
  const projects = new Map(places.map((device) => [device.id, device.project_id]));
  await db
    .insertInto('rollout_devices')
    .values(
      given.deviceIds.map((device_id, index) => ({
        rollout_id: id,
        device_id,
        wave: waves[index]!,
        from_version: '1.4.2',
        project_id: projects.get(device_id),
        updated_at: at,
      })),
    )
    .execute();
  return id;
};

/**
 * Waits for the state of a rollout. Devices on a busy machine may be silent for a while: a device that the guard
 * refused is asked again soon, not in minutes.
 */
export const rolloutComesTo = (
  db: Db,
  isThere: () => Promise<boolean>,
  said: () => unknown = () => isThere,
): Promise<boolean> =>
  eventually(
    async () => {
      if (await isThere()) return true;
      await sql`update rollout_devices set try_at = updated_at + interval '2 seconds'
        where state = 'waiting' and try_at > updated_at + interval '2 seconds'`.execute(db);
      return false;
    },
    { withinMs: 4 * patienceMs, said },
  );
