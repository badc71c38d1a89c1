import { randomUUID } from 'node:crypto';
import type { Permission } from '#contract/permissions.ts';
import type { CommandVerb } from '#contract/telemetry.ts';
import { fault } from '#server/core/fault.ts';
import { holds, type Scope } from '#server/core/scope.ts';
import type { Call } from '#server/core/serve.ts';
import { gatherFacts } from './control.facts.ts';
import { decide, type Facts } from './control.guard.ts';
import { next } from './control.life.ts';
import { controlSettings } from './control.settings.ts';
import { controlStore } from './control.store.ts';

/** The part of a call that a command needs; `db` is the transaction that also writes the operation log. */
export type ControlCall = Pick<Call<unknown>, 'db' | 'now' | 'emit' | 'afterCommit' | 'note'>;
/** On whose behalf: the caller of an endpoint, or a timer's author as they stand when it fires. */
export interface Requester {
  userId: number | null;
  username: string;
  role: number;
  permissions: ReadonlySet<Permission>;
  scope: Scope;
  address: string;
  /** The password was given lately enough for what is asked. */
  identityProved: boolean;
}
export interface Ask {
  deviceId: number;
  /** Null: the device itself. */
  lineId: number | null;
  verb: CommandVerb;
  parameters?: Record<string, unknown> | undefined;
  confirmName?: string | undefined;
  cause: 'button' | 'api' | 'timer' | 'onekey';
  batchId?: string | undefined;
  by: Requester;
}
export interface Requested {
  commandId: string;
  state: 'created';
  expiresAt: number;
}
/** A written command on its way to the link. */
export interface Parcel {
  commandId: string;
  deviceId: number;
  deviceNumber: string;
  n: number;
  deadlineAt: number;
}
/** A created command must be on its way by then, or it never goes. */
const claimWithinMs = 10_000;

/**
 * Decides and writes one command in the call's transaction; `publish` runs after its commit. Throws the fault that
 * says why not: `device.missing` outside the scope, `permission.denied`, `control.*`.
 */
export const requestCommand = async (
  call: ControlCall,
  ask: Ask,
  publish: (parcel: Parcel) => void,
): Promise<Requested> => {
  const { db, now } = call;
  const gathered = await gatherFacts(db, { deviceId: ask.deviceId, lineId: ask.lineId, now, lock: true });
  if (!gathered || !holds(ask.by.scope, gathered.device.projectId, gathered.device.partId))
    return fault('device.missing');
  const { device, inFlight } = gathered;
  const line =
    gathered.lines.find((one) => (ask.lineId === null ? one.n === 0 : one.id === ask.lineId)) ??
    fault('line.missing');
  call.note({ projectId: device.projectId, deviceId: device.id, number: device.number, line: line.n });
  const facts: Facts = {
    now,
    verb: ask.verb,
    parameters: ask.parameters ?? {},
    device,
    line,
    inFlight,
    permissions: ask.by.permissions,
    role: ask.by.role,
    confirmName: ask.confirmName ?? null,
    identityProved: ask.by.identityProved,
  };
  const decision = decide(facts);
  if (!decision.allowed)
    return fault(decision.fault, { with: decision.with, data: { reason: decision.reason } });

  const store = controlStore(db);
  for (const id of decision.supersedes) {
    const other = await store.hold(id);
    const change = other && next(other, { kind: 'superseded' }, now, 0);
    if (!other || !change || !(await store.apply(other, change))) continue;
    call.emit('command.changed', {
      commandId: id,
      deviceId: other.deviceId,
      lineId: other.lineId,
      state: 'failed',
      verb: other.verb,
      batchId: other.batchId,
    });
  }
  const settings = await controlSettings(db);
  const switching = ask.verb === 'open' || ask.verb === 'close';
  const expiresAt = now + 1000 * (switching ? settings.switchExpiryS : settings.otherExpiryS);
  const deadlineAt = Math.min(expiresAt, now + claimWithinMs);
  const commandId = randomUUID();
  await store.create({
    id: commandId,
    deviceId: device.id,
    lineId: line.id,
    verb: ask.verb,
    parameters: ask.parameters ?? {},
    cause: ask.cause,
    batchId: ask.batchId ?? null,
    userId: ask.by.userId,
    operator: ask.by.username,
    address: ask.by.address,
    now,
    expiresAt,
    deadlineAt,
  });
  call.note({ command_id: commandId, cause: ask.cause, position_before: line.latest?.position ?? null });
  call.emit('command.changed', {
    commandId,
    deviceId: device.id,
    lineId: line.id,
    state: 'created',
    verb: ask.verb,
    batchId: ask.batchId ?? null,
  });
  call.afterCommit(() =>
    publish({ commandId, deviceId: device.id, deviceNumber: device.number, n: line.n, deadlineAt }),
  );
  return { commandId, state: 'created', expiresAt };
};
