import * as z from 'zod';
import type { OtaMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { createBackground } from '#server/core/background.ts';
import type { Events, PositionChange, StoredReading } from '#server/core/bus.ts';
import { type ClockSteps, createClockSteps } from '#server/core/clock-steps.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import type { DeviceLink } from '#server/core/group.ts';
import { createRounds } from '#server/core/rounds.ts';
import { createAdvancer, type Moved, type Step, type StimulusFor } from './advance.ts';
import { answerStore } from './answers.ts';
import { setClock, wrongClocks } from './clock-check.ts';
import { type CommandRow, clockSetBackMs, controlStore } from './control.store.ts';
import { controlFindings, type RaiseFinding } from './findings.ts';
import { seenInMove, seenInReading, seenLatest } from './observed-position.ts';
import { createQueues, createSender } from './publish.ts';
import {
  type Answer,
  type Ask,
  type ControlCall,
  type ManyCall,
  type Parcel,
  type Requested,
  requestCommand,
  requestCommands,
} from './request.ts';
import { askedPosition, type Change, clockErrorMs, isOpen, provableVerbs } from './states.ts';
import { createPositions, eventPatienceMs, type Flip, uncommandedMoves } from './uncommanded-moves.ts';

export interface ControlDeps extends CoreDeps {
  link: Pick<DeviceLink, 'publishCommand'>;
  /**
   * Resolves when the finding is on disk: a mismatch is written only with its alarm. Null: this node requests
   * and publishes, and never starts; a node with the device link decides the result.
   */
  raiseFinding: RaiseFinding | null;
}
export interface Control {
  /** Takes over commands that an earlier run left open, and listens. */
  start(): Promise<void>;
  /** Stops listening and waits for current work. */
  stop(): Promise<void>;
  /** Resolves when no work is running. */
  settled(): Promise<void>;
  /** Decides, writes and, after the call's commit, publishes one command. The only way to a command topic. */
  request(call: ControlCall, ask: Ask): Promise<Requested>;
  /** Requests many commands in one transaction; each is refused or written by itself. */
  requestMany(call: ManyCall, asks: readonly Ask[]): Promise<Answer[]>;
}

/** Commands of a node that died come due here too. */
const longestSleepMs = 10_000;
const retryMs = 1000;
const lookAfterMs = 200;
const mostTries = 5;
const sweptAtOnce = 500;
/** States of an update that is over. */
const overUpdates: ReadonlySet<OtaMessage['st']> = new Set(['updated', 'failed', 'rolled_back']);
const isId = (id: string): boolean => z.uuid().safeParse(id).success;

/**
 * Whether the device clock proved slower than the correction of the expiry assumed: then the device may still
 * obey the command.
 */
const mayActLate = async (
  db: Db,
  { deviceId, state, skewMs, sentAt }: CommandRow,
  steps: ClockSteps,
): Promise<boolean> => {
  if (state === 'acknowledged' || skewMs === null) return false;
  // Its time seems to be over only because the server's clock was set forward.
  if (sentAt !== null && steps.forwardSince(sentAt) > 0) return true;
  const row = await db
    .selectFrom('device_state')
    .select(['clock_ms', 'clock_unknown'])
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  return row?.clock_unknown === true || (row?.clock_ms ?? 0) - skewMs > clockErrorMs;
};

export const createControl = ({ db, bus, clock, link, raiseFinding, log }: ControlDeps): Control => {
  const findings = raiseFinding && controlFindings(db, raiseFinding);
  const inTurn = createQueues();
  const lineInTurn = createQueues();
  const steps = createClockSteps(clock);
  const send = createSender({ db, clock, steps, link, log });
  const moves = findings && uncommandedMoves(db, findings);
  const positions = createPositions();
  /** Commands without an end that reports may prove, by device: the readings of these devices are checked. */
  const watched = new Map<number, Map<string, { lineId: number; verb: string }>>();
  const background = createBackground((error, what) => log.error({ err: error }, `control: ${what} failed`));
  let stopped = false;
  let listening: (() => void)[] = [];

  /**
   * Runs work in the background; retries it when the database fails, because a lost answer is a lost proof.
   */
  const run = (what: string, work: () => Promise<unknown>, triesLeft = mostTries): void =>
    background.run(what, () =>
      work().catch((error: unknown) => {
        if (!stopped && triesLeft > 1) clock.after(retryMs, () => run(what, work, triesLeft - 1));
        throw error;
      }),
    );

  const settled = async (): Promise<void> => {
    while (rounds.isBusy() || background.isBusy()) {
      await rounds.settled();
      await background.settled();
    }
  };

  const advancer = createAdvancer({ db, findings, steps });
  /** Applies one event to one command, under its row's lock. Returns the change, or null. */
  const advance = async (
    id: string,
    stimulusFor: StimulusFor,
    more: Partial<Step> = {},
  ): Promise<Moved | null> => {
    const moved = await advancer({ id, stimulusFor, at: clock.now(), ...more });
    if (moved) afterMove(moved.command, moved.change);
    return moved;
  };
  const afterMove = (command: CommandRow, { state, deadlineAt }: Change): void => {
    if (deadlineAt !== undefined) rounds.wakeAt(deadlineAt);
    if (state === undefined || state === command.state) return;
    const { id, deviceId, lineId, verb, batchId } = command;
    bus.emit('command.changed', { commandId: id, deviceId, lineId, state, verb, batchId });
    const position = askedPosition(verb);
    if (state === 'verified' && position !== null)
      run('clearing findings', async () => findings?.verified(lineId, position, clock.now()));
  };

  const publish = (parcel: Parcel): void => {
    rounds.wakeAt(parcel.deadlineAt);
    const turn = async () => {
      const { commandId } = parcel;
      const claimed = await advance(commandId, () => ({ kind: 'claimed' }));
      if (typeof claimed?.change.sentAt !== 'number') return;
      const { moved, later } = await send({ command: claimed.command, parcel }).catch((error: unknown) => {
        run('ending what was kept back', () =>
          advance(commandId, () => ({ kind: 'refused', reason: 'interrupted', neverSent: true })),
        );
        throw error;
      });
      if (moved) afterMove(moved.command, moved.change);
      const outcome = await later;
      if (outcome) run('noting the publishing', () => advance(commandId, () => outcome));
    };
    run('publishing', () => inTurn(parcel.deviceId, turn), 1);
  };

  /** The answer itself is on disk: every step reads the stored answers. */
  const onAnswer = async ({ ack }: Events['device.ack']): Promise<void> => {
    if (isId(ack.id)) await advance(ack.id.toLowerCase(), () => null);
  };
  /** An update takes as long as it takes: each report that it goes on keeps its command open. */
  const onUpdate = async ({ deviceId, progress }: Events['device.ota']): Promise<void> => {
    if (!isId(progress.id) || overUpdates.has(progress.st)) return;
    await advance(progress.id.toLowerCase(), (command) =>
      command.deviceId === deviceId ? { kind: 'updating' } : null,
    );
  };
  const onReading = (reading: StoredReading): void => {
    for (const [id, { lineId, verb }] of watched.get(reading.deviceId) ?? []) {
      // A reset of the whole device needs proof from all its lines.
      if (lineId !== reading.lineId && verb !== 'reset') continue;
      run('looking at a reading', () =>
        advance(id, async (command, trx) => {
          const seen = await seenInReading(trx, command, reading);
          return seen && { kind: 'seen', seen };
        }),
      );
    }
  };
  const onMove = (move: PositionChange): void => {
    const { at, boot, seq } = move;
    for (const [id, { lineId }] of watched.get(move.deviceId) ?? []) {
      if (lineId !== move.lineId) continue;
      run('looking at a move', () =>
        advance(id, (command) =>
          move.commandId?.toLowerCase() === id
            ? { kind: 'moved', position: move.position, place: { at, boot, seq } }
            : { kind: 'seen', seen: seenInMove(command, move, clock.now()) },
        ),
      );
    }
    const judge = async () => moves?.moved({ ...move, receivedAt: clock.now() });
    run('judging a move', () => lineInTurn(move.lineId, judge));
  };

  const onFlip = (flip: Flip): void => {
    clock.after(eventPatienceMs, () => {
      const judge = async () => moves?.flipped(flip);
      if (!stopped) run('judging a move without an event', () => lineInTurn(flip.lineId, judge));
    });
  };

  /**
   * Ends or advances every command that is due, and those with an answer that no event announced. Returns when the next
   * is due.
   */
  const sweep = async (alsoIds: readonly string[] = []): Promise<number | null> => {
    steps.look();
    const store = controlStore(db);
    const at = clock.now();
    const found = await store.due(at, sweptAtOnce);
    // The present time and not `at`: a command that was written during a long sweep is later than `at`,
    // although the clock was not set back.
    const due = found.filter(
      ({ deadline_at, created_at }) =>
        deadline_at.getTime() <= at || created_at.getTime() > clock.now() + clockSetBackMs,
    );
    const answered = await answerStore(db).answered(sweptAtOnce);
    let failed = found.length === sweptAtOnce || answered.length === sweptAtOnce;
    const dueAt = new Map(due.map(({ id, deadline_at }) => [id, Math.max(at, deadline_at.getTime())]));
    const whenDue: StimulusFor = async (command, trx) =>
      isOpen(command.state) && command.deadlineAt <= (dueAt.get(command.id) ?? at)
        ? {
            kind: 'deadline',
            latest: await seenLatest(trx, command),
            mayActLate: command.createdAt > at + clockSetBackMs || (await mayActLate(trx, command, steps)),
          }
        : null;
    await Promise.all(
      [...new Set([...due.map(({ id }) => id), ...answered, ...alsoIds])].map((id) =>
        advance(id, whenDue, { at: dueAt.get(id) ?? at, looksBack: true }).catch((error: unknown) => {
          failed = true;
          log.error({ err: error, command: id }, 'control: a due command did not move');
        }),
      ),
    );
    return failed ? at + retryMs : store.nextDeadline();
  };
  const rounds = createRounds({
    name: 'commands',
    clock,
    log,
    longestMs: longestSleepMs,
    round: () => sweep(),
  });

  const watch = (
    { deviceId, lineId, verb }: { deviceId: number; lineId: number; verb: string },
    commandId: string,
    open: boolean,
  ): void => {
    if (!provableVerbs.includes(verb)) return;
    const commands = watched.get(deviceId) ?? new Map<string, { lineId: number; verb: string }>();
    if (open) commands.set(commandId, { lineId, verb });
    else commands.delete(commandId);
    if (commands.size > 0) watched.set(deviceId, commands);
    else watched.delete(deviceId);
  };

  const control: Control = {
    async start() {
      listening = [
        bus.on('command.changed', (event) => {
          watch(event, event.commandId, isOpen(event.state));
          // Another node may have published the command. Deadlines are seconds away, so one check a little later
          // is enough for many simultaneous changes.
          if (isOpen(event.state)) rounds.wakeAt(clock.now() + lookAfterMs);
        }),
        bus.on('device.ack', (event) => run('taking an answer', () => onAnswer(event))),
        bus.on('device.ota', (event) => run('following an update', () => onUpdate(event))),
        bus.on('readings.stored', (readings) => {
          for (const reading of readings) {
            const flip = positions.read(reading);
            if (flip) onFlip(flip);
            if (reading.latest) onReading(reading);
          }
        }),
        bus.on('position.changed', (moves) => {
          for (const move of moves) {
            positions.moved(move);
            onMove(move);
          }
        }),
        bus.on('alarms.changed', (changes) => {
          for (const change of wrongClocks(changes))
            run('setting a clock', () => setClock({ db, bus, clock }, control, change), 1);
        }),
      ];
      const open = await controlStore(db).open();
      for (const { id, device_id, line_id, verb } of open)
        watch({ deviceId: device_id, lineId: line_id, verb }, id, true);
      await moves?.takeUp(positions);
      rounds.start((await sweep(open.map(({ id }) => id))) ?? clock.now() + longestSleepMs);
    },
    async stop() {
      stopped = true;
      for (const end of listening) end();
      await rounds.stop();
      await settled();
    },
    settled,
    request(call, ask) {
      steps.look();
      return requestCommand(call, ask, publish);
    },
    requestMany(call, asks) {
      steps.look();
      return requestCommands(call, asks, publish);
    },
  };
  return control;
};
