import { randomUUID } from 'node:crypto';
import { actsOnWholeDevice } from '#contract/hazards.ts';
import type { Permission } from '#contract/permissions.ts';
import type { CommandVerb } from '#contract/telemetry.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { holds, type Scope } from '#server/core/scope.ts';
import type { Call } from '#server/core/serve.ts';
import { type DeviceFacts, decide, type InFlight, type LineFacts } from './control.guard.ts';
import { controlStore, type NewCommand } from './control.store.ts';
import { type Gathered, gatherFacts, holdDirectory } from './facts.ts';
import { next, type Stimulus } from './states.ts';

/** The part of a call that a command needs; `db` is the transaction that also writes the operation log. */
export type ControlCall = Pick<Call<unknown>, 'db' | 'now' | 'emit' | 'afterCommit' | 'note'>;
/**
 * The requester: the caller of an endpoint, or a timer's author with the permissions at the time it fires.
 */
export interface Requester {
  userId: number | null;
  username: string;
  role: number;
  permissions: ReadonlySet<Permission>;
  scope: Scope;
  address: string;
  /** The password was given recently enough for this act. */
  identityProved: boolean;
}
/** Causes of a command: another cause is another way to switch a line. */
export const commandCauses = ['button', 'api', 'timer', 'onekey', 'rollout', 'auto'] as const;
export interface Ask {
  deviceId: number;
  /** Null: the device itself. */
  lineId: number | null;
  verb: CommandVerb;
  parameters?: Record<string, unknown> | undefined;
  confirmName?: string | undefined;
  cause: (typeof commandCauses)[number];
  batchId?: string | undefined;
  /** The device's project when the act was asked for that this command belongs to; undefined: it is asked for now. */
  askedIn?: number | null | undefined;
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
/** A created command must be sent within this time, or is never sent. */
const claimWithinMs = 10_000;

/** The answer to one request; `about` goes into the operation log. */
export type Answer = { about: Record<string, unknown> } & (
  | { requested: Requested; refusal: null }
  | { requested: null; refusal: Fault }
);
export type ManyCall = Omit<ControlCall, 'note'>;

const askFor = (
  gathered: Gathered | undefined,
  ask: Ask,
): { device: DeviceFacts; line: LineFacts; lines: readonly LineFacts[] } => {
  if (!gathered || !holds(ask.by.scope, gathered.device.projectId, gathered.device.partId))
    return fault('device.missing');
  const line = gathered.lines.find((one) => (ask.lineId === null ? one.n === 0 : one.id === ask.lineId));
  return { device: gathered.device, line: line ?? fault('line.missing'), lines: gathered.lines };
};

/**
 * Decides and writes commands in the call's transaction, each independently of the others; `publish` runs after
 * the commit. A refusal is a fault with its reason: `device.missing` outside the scope, `permission.denied`,
 * `control.*`.
 */
export const requestCommands = async (
  call: ManyCall,
  asks: readonly Ask[],
  publish: (parcel: Parcel) => void,
): Promise<Answer[]> => {
  const { db, now } = call;
  if (asks.length === 0) return [];
  const deviceIds = asks.map((ask) => ask.deviceId);
  const wholeDevice = asks.some(({ lineId, verb }) => lineId === null || actsOnWholeDevice(verb));
  const lineIds = wholeDevice ? undefined : asks.flatMap(({ lineId }) => lineId ?? []);
  await holdDirectory(db, deviceIds, lineIds);
  const gathered = await gatherFacts(db, { deviceIds, ...(lineIds && { lineIds }), now });
  const store = controlStore(db);
  const settings = await readSettings(db, 'control');
  const inFlight = new Map<number, readonly InFlight[]>([...gathered].map(([id, one]) => [id, one.inFlight]));
  await holdGivingWay(db, gathered, asks);
  let unwritten: NewCommand[] = [];
  const write = async () => {
    await store.create(unwritten);
    unwritten = [];
  };

  const answerTo = async (ask: Ask, about: Record<string, unknown>): Promise<Requested> => {
    const { device, line, lines } = askFor(gathered.get(ask.deviceId), ask);
    Object.assign(about, {
      projectId: device.projectId,
      deviceId: device.id,
      number: device.number,
      line: line.n,
    });
    const others = inFlight.get(device.id) ?? [];
    const decision = decide({
      now,
      verb: ask.verb,
      parameters: ask.parameters ?? {},
      device,
      line,
      lines,
      inFlight: others,
      permissions: ask.by.permissions,
      role: ask.by.role,
      confirmName: ask.confirmName ?? null,
      identityProved: ask.by.identityProved,
      askedIn: ask.askedIn,
    });
    if (!decision.allowed)
      return fault(decision.fault, {
        with: decision.with,
        data: { ...decision.with, reason: decision.reason },
        ...(decision.reason === 'critical_line' &&
          ask.confirmName !== undefined && { fields: { confirm_name: decision.fault } }),
      });
    if (unwritten.some(({ id }) => decision.supersedes.includes(id))) await write();
    await endAll(call, decision.supersedes, { kind: 'superseded' });
    const commandId = randomUUID();
    const switching = ask.verb === 'open' || ask.verb === 'close';
    const expiresAt = now + 1000 * (switching ? settings.switchExpiryS : settings.otherExpiryS);
    const deadlineAt = Math.min(expiresAt, now + claimWithinMs);
    unwritten.push({
      id: commandId,
      deviceId: device.id,
      lineId: line.id,
      verb: ask.verb,
      parameters: ask.parameters ?? {},
      cause: ask.cause,
      batchId: ask.batchId ?? null,
      userId: ask.by.userId,
      projectId: device.projectId,
      operator: ask.by.username,
      address: ask.by.address,
      now,
      expiresAt,
      deadlineAt,
    });
    inFlight.set(device.id, [
      ...others.filter(({ id }) => !decision.supersedes.includes(id)),
      { id: commandId, lineId: line.id, verb: ask.verb, operator: ask.by.username },
    ]);
    Object.assign(about, {
      command_id: commandId,
      cause: ask.cause,
      position_before: line.latest?.position ?? null,
    });
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

  const answers: Answer[] = [];
  for (const ask of asks) {
    const about: Record<string, unknown> = {};
    try {
      answers.push({ about, requested: await answerTo(ask, about), refusal: null });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      answers.push({ about, requested: null, refusal: error });
    }
  }
  await write();
  return answers;
};

/**
 * Locks all closes under way that the opens may supersede, at once: the transaction that processes answers
 * also locks many of them.
 */
const holdGivingWay = async (
  db: ManyCall['db'],
  gathered: ReadonlyMap<number, Gathered>,
  asks: readonly Ask[],
): Promise<void> => {
  const opening = new Set(asks.flatMap(({ verb, lineId }) => (verb === 'open' ? [lineId] : [])));
  const ids = [...gathered.values()].flatMap(({ inFlight }) =>
    inFlight.filter(({ verb, lineId }) => verb === 'close' && opening.has(lineId)).map(({ id }) => id),
  );
  if (ids.length > 0) await controlStore(db).hold(ids);
};

/** Ends what is under way when a device gets a new secret: whoever has it proves nothing that was asked before. */
export const endOfReplaced = async (
  call: Pick<ManyCall, 'db' | 'now' | 'emit'>,
  deviceId: number,
): Promise<void> => {
  const open = await controlStore(call.db).open(deviceId);
  await endAll(
    call,
    open.map(({ id }) => id),
    { kind: 'replaced' },
  );
};

/** Ends commands under way: closes that an open supersedes, or those of a device that was replaced. */
const endAll = async (
  { db, now, emit }: Pick<ManyCall, 'db' | 'now' | 'emit'>,
  ids: readonly string[],
  stimulus: Stimulus,
): Promise<void> => {
  if (ids.length === 0) return;
  const store = controlStore(db);
  const ended = [...(await store.hold(ids)).values()].flatMap((command) => {
    const change = next(command, stimulus, now, 0);
    return change ? [{ command, change }] : [];
  });
  const applied = await store.apply(ended);
  for (const { command, change } of ended)
    if (applied.has(command.id))
      emit('command.changed', {
        commandId: command.id,
        deviceId: command.deviceId,
        lineId: command.lineId,
        state: change.state!,
        verb: command.verb,
        batchId: command.batchId,
      });
};

/** Decides and writes one command; throws the fault with the reason. */
export const requestCommand = async (
  call: ControlCall,
  ask: Ask,
  publish: (parcel: Parcel) => void,
): Promise<Requested> => {
  const [answer] = await requestCommands(call, [ask], publish);
  call.note(answer!.about);
  if (answer!.refusal) throw answer!.refusal;
  return answer!.requested;
};
