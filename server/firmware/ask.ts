import { type Selectable, sql } from 'kysely';
import { type FaultCode, faults } from '#contract/faults/codes.ts';
import type { Db, Tables } from '#database/connect.ts';
import type { Control } from '#server/control/commands.ts';
import type { Account } from '#server/core/account.ts';
import type { AfterCommit } from '#server/core/after-commit.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { appendOperations, type Operation } from '#server/core/operation-log.ts';
import type { AddressOf } from './firmware.store.ts';
import { type Refused, retryLater } from './retry.ts';

/** Number of devices that are asked in one transaction. */
const atOnce = 50;
const minuteMs = 60_000;
/** Faults that a later attempt cannot change: the device is left out. */
const final: readonly FaultCode[] = [
  'control.unsupported',
  'control.bad_param',
  'control.critical_line',
  'control.moved',
  'permission.denied',
  'device.missing',
];

/** A rollout cannot type the name of a critical line, which the guard's own sentence asks for. */
const reasonOf = (code: FaultCode): FaultCode =>
  code === 'control.critical_line' ? 'firmware.critical' : code;

interface Waiting {
  device_id: number;
  reason: string | null;
  project_id: number | null;
  /** Its project when the rollout began. */
  asked_in: number | null;
}

/**
 * Asks devices of started waves to update, as many as the pace allows, each through the guard for the
 * rollout's author. Devices that the guard refuses for now are retried later. Returns how many rows it
 * processed.
 */
export const askDevices = async (
  trx: Db,
  given: {
    control: Pick<Control, 'requestMany'>;
    addressOf: AddressOf;
    author: Account;
    rollout: Selectable<Tables['rollouts']>;
    now: number;
    later: AfterCommit;
  },
): Promise<number> => {
  const { rollout, author, now, later } = given;
  const version = await trx
    .selectFrom('firmware_versions')
    .innerJoin('firmware_keys', 'firmware_keys.id', 'firmware_versions.key_id')
    .selectAll('firmware_versions')
    .where('firmware_versions.id', '=', rollout.version_id)
    .where('enabled', '=', true)
    .where(notDeleted('firmware_versions'))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!version) {
    await trx
      .updateTable('rollouts')
      .set({ state: 'paused', reason: 'firmware.disabled' })
      .where('id', '=', rollout.id)
      .execute();
    return 1;
  }
  const rows = await waitingOf(trx, rollout, now);
  const answers = await given.control.requestMany(
    { db: trx, now, ...later },
    rows.map(({ device_id, asked_in }) => ({
      deviceId: device_id,
      lineId: null,
      verb: 'ota' as const,
      parameters: {
        url: given.addressOf(version),
        size: version.size,
        sha256: version.sha256,
        to: version.app_version,
        sig: `ed25519:${version.signature.toString('base64')}`,
      },
      cause: 'rollout' as const,
      askedIn: asked_in,
      by: { ...author, address: '', identityProved: true },
    })),
  );
  const logged: Operation[] = [];
  for (const [index, row] of rows.entries()) {
    const { requested, refusal, about } = answers[index]!;
    const at = { rolloutId: rollout.id, deviceId: row.device_id, now };
    const reason = refusal ? reasonOf(refusal.code) : null;
    if (requested) {
      await noteAsked(trx, { ...at, commandId: requested.commandId, stepMinutes: rollout.step_minutes });
    } else {
      const refused = { ...at, reason: reasonOf(refusal.code), with: refusal.details.with ?? {} };
      await (final.includes(refusal.code) ? skip(trx, refused) : retryLater(trx, refused));
    }
    // A refusal that repeats unchanged is logged once.
    if (requested || reason !== row.reason)
      logged.push(operationOf(row, { author, rolloutId: rollout.id, about, fault: reason, now }));
  }
  await appendOperations(trx, logged);
  return rows.length;
};

const waitingOf = async (
  trx: Db,
  rollout: Selectable<Tables['rollouts']>,
  now: number,
): Promise<Waiting[]> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from rollout_devices
    where rollout_id = ${rollout.id} and asked_at > ${new Date(now - minuteMs)}`.execute(trx);
  const most = Math.min(atOnce, rollout.per_minute - rows[0]!.n);
  if (most <= 0) return [];
  return (
    await sql<Waiting>`
      select rd.device_id, rd.reason, d.project_id, rd.project_id as asked_in from rollout_devices rd join devices d on d.id = rd.device_id
      where rd.rollout_id = ${rollout.id} and rd.state = 'waiting' and rd.wave <= ${rollout.wave}
        and (rd.try_at is null or rd.try_at <= ${new Date(now)})
      order by rd.tries, rd.wave, rd.device_id limit ${most} for update of rd`.execute(trx)
  ).rows;
};

const noteAsked = async (
  trx: Db,
  given: { rolloutId: number; deviceId: number; commandId: string; stepMinutes: number; now: number },
): Promise<void> => {
  await trx
    .updateTable('rollout_devices')
    .set({
      state: 'asked',
      reason: null,
      reason_with: '{}',
      command_id: given.commandId,
      tries: sql<number>`tries + 1`,
      asked_at: new Date(given.now),
      deadline_at: new Date(given.now + given.stepMinutes * minuteMs),
      updated_at: new Date(given.now),
    })
    .where('rollout_id', '=', given.rolloutId)
    .where('device_id', '=', given.deviceId)
    .execute();
};
const skip = async (trx: Db, given: Refused): Promise<void> => {
  await trx
    .updateTable('rollout_devices')
    .set({
      state: 'skipped',
      reason: given.reason,
      reason_with: JSON.stringify(given.with ?? {}),
      tries: sql<number>`tries + 1`,
      updated_at: new Date(given.now),
    })
    .where('rollout_id', '=', given.rolloutId)
    .where('device_id', '=', given.deviceId)
    .execute();
};

const operationOf = (
  { device_id, project_id }: Waiting,
  given: {
    author: Account;
    rolloutId: number;
    about: Record<string, unknown>;
    fault: FaultCode | null;
    now: number;
  },
): Operation => {
  const { projectId: _project, deviceId: _device, ...about } = given.about;
  return {
    at: new Date(given.now),
    userId: given.author.userId,
    operator: given.author.username,
    key: 'version.update',
    channel: 'rollout',
    address: '',
    requestId: `rollout-${given.rolloutId}-${device_id}`,
    outcome: given.fault === null ? 'done' : 'refused',
    code: given.fault === null ? 200 : faults[given.fault].code,
    projectId: project_id,
    deviceId: device_id,
    parameters: {
      rollout_id: given.rolloutId,
      ...about,
      ...(given.fault === null ? {} : { fault: given.fault }),
    },
  };
};
