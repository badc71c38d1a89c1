import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { actsOnWholeDevice, commandHazard } from '#contract/hazards.ts';
import { permissions } from '#contract/permissions.ts';
import type { CmdMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { type Account, accountsOf } from '#server/core/account.ts';
import type { Clock } from '#server/core/clock.ts';
import type { ClockSteps } from '#server/core/clock-steps.ts';
import { DeliveryUncertain, type DeviceLink } from '#server/core/group.ts';
import { holds } from '#server/core/scope.ts';
import type { Moved } from './advance.ts';
import { decide, type Facts, interruptedCriticalLine, nameToType } from './control.guard.ts';
import { type CommandRow, controlStore } from './control.store.ts';
import { type Gathered, gatherFacts, holdDirectory, holdReports } from './facts.ts';
import type { Parcel } from './request.ts';
import { changed, next, type Stimulus } from './states.ts';

export interface Claimed {
  command: CommandRow;
  parcel: Parcel;
}
interface Waiting extends Claimed {
  /** The message was given to the link. */
  sent: boolean;
  /** The result of the hand-over, if it comes later; null: no result is awaited. */
  handedOver: Promise<Stimulus> | null;
  resolve: (sent: Sent) => void;
  reject: (error: unknown) => void;
}
export interface Sent {
  /** The change when the message was handed over or held back; null: the command had already ended. */
  moved: Moved | null;
  /** The link had not reported a result when the locks were released. */
  later: Promise<Stimulus> | null;
}

const mostTogether = 250;
const mostGroups = 2;
const mostTries = 3;
/**
 * How long the locks wait for the link to send a message: 250 ms. The embedded broker takes milliseconds; for
 * an external one this limits how long the reports of these lines wait. It is real time, because the locks
 * are real, but counted in turns of the event loop, because a process without processor time cannot send
 * either.
 */
export const handOverTurns = 50;
const turnMs = 5;

/** `clockMs`: server time minus the time of the device. */
const messageOf = (command: CommandRow, sentAt: number, n: number, clockMs: number): CmdMessage => ({
  v: 1,
  id: command.id,
  no: command.number,
  t: sentAt,
  // The device compares the expiry with its own clock.
  exp: command.expiresAt - clockMs,
  cmd: command.verb,
  ...(n > 0 ? { n } : {}),
  by: `u:${command.userId ?? 0}`,
  batch: command.batchId,
  ...(Object.keys(command.parameters).length > 0 ? { p: command.parameters } : {}),
});

const publish = async (
  link: Pick<DeviceLink, 'publishCommand'>,
  deviceNumber: string,
  message: CmdMessage,
): Promise<Stimulus> => {
  try {
    await link.publishCommand(deviceNumber, message);
    return { kind: 'published' };
  } catch (error) {
    return error instanceof DeliveryUncertain
      ? { kind: 'published' }
      : { kind: 'refused', reason: 'offline' };
  }
};

/**
 * For how long after a step of the clock no skew in the database is believed: the link writes within a second
 * that they are unknown.
 */
export const steppedMs = 5_000;

/** Why a command may not be sent after all, by the present facts; null: it may. */
const forbids = (
  command: CommandRow,
  gathered: Gathered | undefined,
  operator: Account | null | undefined,
  { now, clockStepped }: { now: number; clockStepped: boolean },
): string | null => {
  const line = gathered?.lines.find(({ id }) => id === command.lineId);
  if (!gathered || !line) return 'unbound';
  const { device, inFlight } = gathered;
  if (device.projectId === null) return 'unbound';
  // Null: the server itself requested the command.
  if (operator === undefined) return 'denied';
  if (operator && !holds(operator.scope, device.projectId, device.partId)) return 'denied';
  const facts: Facts = {
    now,
    verb: command.verb,
    parameters: command.parameters,
    device: clockStepped ? { ...device, clockUnknown: true } : device,
    line,
    lines: gathered.lines,
    // Later commands wait for this one; they do not block it.
    inFlight: inFlight.filter(
      (other) => other.id !== command.id && (other.sent || other.number < command.number),
    ),
    permissions: operator?.permissions ?? new Set(permissions),
    role: operator?.role ?? 1,
    // The name of a critical line and the password were given when the command was requested.
    confirmName: null,
    identityProved: true,
    askedIn: command.projectId,
  };
  const critical = interruptedCriticalLine(facts);
  const decision = decide({ ...facts, confirmName: critical ? nameToType(critical) : null });
  return decision.allowed ? null : decision.reason;
};

/**
 * Hands claimed commands to the link. Everything that forbids closing is decided again, by facts that are
 * locked from before they are read until the message is sent: a transaction with a forbidding fact either
 * committed before, and is seen here, or waits until the message is sent. Simultaneous commands share one
 * transaction. Decision 0054.
 */
export const createSender = ({
  db,
  clock,
  steps,
  link,
  log,
}: {
  db: Db;
  clock: Clock;
  steps: ClockSteps;
  link: Pick<DeviceLink, 'publishCommand'>;
  log: Logger;
}) => {
  let waiting: Waiting[] = [];
  let groups = 0;

  const group = (items: readonly Waiting[]): Promise<Map<string, Moved>> =>
    db.transaction().execute(async (trx) => {
      const deviceIds = [...new Set(items.map(({ command }) => command.deviceId))];
      const ids = items.map(({ command }) => command.id);
      const userIds = items.flatMap(({ command }) => command.userId ?? []);
      const accounts = await accountsOf(trx, userIds, { hold: true });
      const lineIds = items.every(({ parcel, command }) => parcel.n > 0 && !actsOnWholeDevice(command.verb))
        ? items.map(({ command }) => command.lineId)
        : undefined;
      await holdDirectory(trx, deviceIds, lineIds);
      const store = controlStore(trx);
      const commands = await store.hold(ids);
      await holdReports(trx, deviceIds, lineIds);
      const asOf = clock.now();
      const facts = await gatherFacts(trx, {
        deviceIds,
        ...(lineIds && { lineIds }),
        now: asOf,
        besides: ids,
      });
      const setBackMs = steps.backWithin(steppedMs);
      const now = clock.now();
      const moved = new Map<string, Moved>();
      const note = (command: CommandRow, stimulus: Stimulus) => {
        const change = next(command, stimulus, now, 0);
        if (!change) return;
        const before = moved.get(command.id)?.change ?? {};
        moved.set(command.id, { command, change: { ...before, ...change } });
      };
      const goingOut: Promise<void>[] = [];
      for (const item of items) {
        const command = commands.get(item.command.id);
        if (command?.state !== 'created' || command.sentAt === null) continue;
        const gathered = facts.get(command.deviceId);
        const operator = command.userId === null ? null : accounts.get(command.userId);
        const reason =
          now >= command.expiresAt
            ? 'expired'
            : forbids(command, gathered, operator, { now, clockStepped: setBackMs !== null });
        if (reason !== null || !gathered) {
          note(command, { kind: 'refused', reason: reason ?? 'unbound', neverSent: true });
          continue;
        }
        const skewMs = gathered.device.skewMs + (gathered.device.clockUnknown ? 0 : (setBackMs ?? 0));
        const going = { sentAt: now, newestAtSending: gathered.newest, skewMs };
        moved.set(command.id, { command, change: going });
        const { deviceNumber, n } = item.parcel;
        // An open must not look expired to the device because the link has not noted the step yet, or because a
        // message was late. Nothing else may be obeyed late.
        const isHazardous = commandHazard(command.verb, gathered.device.type) !== null;
        const clockMs = isHazardous ? gathered.device.behindMs : gathered.device.skewMs + (setBackMs ?? 0);
        item.sent = true;
        item.handedOver = publish(link, deviceNumber, messageOf(command, now, n, clockMs));
        goingOut.push(
          item.handedOver.then((outcome) => {
            item.handedOver = null;
            note(changed(command, going), outcome);
          }),
        );
      }
      await withinTurns(Promise.all(goingOut), handOverTurns);
      const applied = await store.apply([...moved.values()]);
      return new Map([...moved].filter(([id]) => applied.has(id)));
    });

  const run = async (items: readonly Waiting[], triesLeft = mostTries): Promise<void> => {
    try {
      const moved = await group(items);
      for (const item of items)
        item.resolve({ moved: moved.get(item.command.id) ?? null, later: item.handedOver });
    } catch (error) {
      log.error({ err: error, triesLeft }, 'control: commands were not handed over');
      // A message that reached the link is never sent again: its answer shows the result.
      const unsent = items.filter((item) => {
        if (item.sent) item.resolve({ moved: null, later: item.handedOver });
        return !item.sent;
      });
      if (triesLeft > 1) for (const item of unsent) await run([item], triesLeft - 1);
      else for (const item of unsent) item.reject(error);
    }
  };
  const pump = (): void => {
    while (waiting.length > 0 && groups < mostGroups) {
      const items = waiting.slice(0, mostTogether);
      waiting = waiting.slice(mostTogether);
      groups += 1;
      void run(items).finally(() => {
        groups -= 1;
        pump();
      });
    }
  };
  return (claimed: Claimed): Promise<Sent> =>
    new Promise((resolve, reject) => {
      waiting.push({ ...claimed, sent: false, handedOver: null, resolve, reject });
      if (waiting.length === 1) setImmediate(pump);
    });
};

export const withinTurns = async (work: Promise<unknown>, turns: number): Promise<void> => {
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  const pass = async () => {
    for (let turn = 0; turn < turns && !isDone; turn += 1) await wait(turnMs);
  };
  await Promise.race([done, pass()]);
};

/**
 * Runs one after the other for each id, so that a device's commands are sent in the order of their numbers.
 */
export const createQueues = () => {
  const tails = new Map<number, Promise<void>>();
  return (id: number, turn: () => Promise<void>): Promise<void> => {
    const before = (tails.get(id) ?? Promise.resolve()).catch(() => {});
    const tail: Promise<void> = before.then(turn).finally(() => {
      if (tails.get(id) === tail) tails.delete(id);
    });
    tails.set(id, tail);
    return tail;
  };
};
