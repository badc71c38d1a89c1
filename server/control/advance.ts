import type { Db } from '#database/connect.ts';
import type { ClockSteps } from '#server/core/clock-steps.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { answerStore, type StoredAnswer } from './answers.ts';
import { type CommandRow, controlStore } from './control.store.ts';
import type { ControlFindings } from './findings.ts';
import { type Change, changed, nextOfAll, type Stimulus, type TimedStimulus } from './states.ts';

export type StimulusFor = (command: CommandRow, trx: Db) => Promise<Stimulus | null> | Stimulus | null;
export interface Step {
  id: string;
  stimulusFor: StimulusFor;
  at: number;
  /** Also looks for evidence besides an answer, because the answer may have been lost. */
  looksBack?: boolean;
}
export interface Moved {
  command: CommandRow;
  change: Change;
}
interface Waiting extends Step {
  /** The mismatch may be written, because its alarm is on disk. */
  alarmed?: boolean;
  resolve: (moved: Moved | null) => void;
  reject: (error: unknown) => void;
}
/** The result of a step. A mismatch changes nothing (`unalarmed`) until its alarm is on disk. */
type Outcome = Moved | { unalarmed: Change & { lineId: number } } | null;
const mostTogether = 250;
const mostGroups = 2;

/** An answer of another device does not count. */
const answersTo = (command: CommandRow, answers: readonly StoredAnswer[]): TimedStimulus[] =>
  answers
    .filter(({ deviceId }) => deviceId === command.deviceId)
    .map(({ ack, receivedAt }) => ({ stimulus: { kind: 'answered', ack }, at: receivedAt }));

/**
 * Applies events to commands. Locks the command rows and first applies unprocessed device answers, then the
 * event. Events that arrive during a transaction share the next one; if such a group fails, each is retried
 * alone, so that one bad event does not block the others. A mismatch is written only after its alarm, and no
 * row is locked while the alarm is written: a writer of alarms may wait for rows that the guard has locked,
 * and the guard for the command. Returns the changes, or null.
 */
export const createAdvancer = ({
  db,
  findings,
  steps: clockSteps,
}: {
  db: Db;
  findings: ControlFindings | null;
  steps: ClockSteps;
}) => {
  let waiting: Waiting[] = [];
  let groups = 0;
  /** Commands whose mismatch alarm is being written. */
  const alarming = new Set<string>();

  const group = (steps: readonly Waiting[]): Promise<Outcome[]> =>
    db.transaction().execute(async (trx) => {
      const store = controlStore(trx);
      const stored = answerStore(trx);
      const ids = steps.map((step) => step.id);
      const commands = await store.hold(ids);
      for (const command of commands.values())
        if (command.sentAt !== null) command.steppedMs = clockSteps.forwardSince(command.sentAt);
      const answers = Map.groupBy(await stored.answers(ids), ({ commandId }) => commandId);
      if (commands.size === 0 && answers.size === 0) return steps.map(() => null);
      const evidenceMs = 1000 * (await readSettings(trx, 'control')).evidenceS;
      const changeOf = async (
        { stimulusFor, at, looksBack }: Step,
        command: CommandRow,
      ): Promise<Change | null> => {
        const all = answersTo(command, answers.get(command.id) ?? []);
        const answeredSoFar = () => changed(command, nextOfAll(command, all, evidenceMs) ?? {});
        const move = looksBack ? await stored.move(answeredSoFar()) : null;
        if (move) all.push(move);
        const stimulus = await stimulusFor(answeredSoFar(), trx);
        if (stimulus) all.push({ stimulus, at });
        return nextOfAll(command, all, evidenceMs);
      };
      const outcomes: Outcome[] = [];
      const taken: StoredAnswer[] = [];
      for (const step of steps) {
        const command = commands.get(step.id);
        const change = command ? await changeOf(step, command) : null;
        const unalarmed = change?.state === 'mismatch' && findings !== null && !step.alarmed;
        if (command && change && unalarmed) {
          outcomes.push({ unalarmed: { ...change, lineId: command.lineId } });
          continue;
        }
        outcomes.push(command && change ? { command, change } : null);
        taken.push(...(answers.get(step.id) ?? []));
      }
      const applied = await store.apply(outcomes.filter((outcome) => outcome !== null && isMoved(outcome)));
      await stored.take(taken);
      return outcomes.map((outcome) =>
        outcome && isMoved(outcome) && !applied.has(outcome.command.id) ? null : outcome,
      );
    });
  const finish = (step: Waiting, outcome: Outcome): void => {
    if (outcome === null || isMoved(outcome)) step.resolve(outcome);
    else if (alarming.has(step.id)) step.resolve(null);
    else void alarm(step, outcome.unalarmed);
  };
  const alarm = async (step: Waiting, { lineId, seen, endedAt }: Change & { lineId: number }) => {
    alarming.add(step.id);
    try {
      await findings?.mismatch(lineId, seen?.position ?? null, endedAt!);
      const moved = new Promise<Moved | null>((resolve, reject) => {
        add({ ...step, alarmed: true, resolve, reject });
      });
      step.resolve(await moved);
    } catch (error) {
      step.reject(error);
    } finally {
      alarming.delete(step.id);
    }
  };
  const one = async (step: Waiting): Promise<void> => {
    try {
      const [outcome] = await group([step]);
      finish(step, outcome ?? null);
    } catch (error) {
      step.reject(error);
    }
  };
  const runGroup = async (steps: readonly Waiting[]): Promise<void> => {
    const outcomes = steps.length === 1 ? null : await group(steps).catch(() => null);
    for (const [index, step] of steps.entries())
      if (outcomes) finish(step, outcomes[index] ?? null);
      else await one(step);
  };
  const pump = (): void => {
    while (waiting.length > 0 && groups < mostGroups) {
      const together = new Map<string, Waiting>();
      const rest: Waiting[] = [];
      for (const step of waiting)
        if (together.size < mostTogether && !together.has(step.id)) together.set(step.id, step);
        else rest.push(step);
      waiting = rest;
      groups += 1;
      void runGroup([...together.values()]).finally(() => {
        groups -= 1;
        pump();
      });
    }
  };
  const add = (step: Waiting): void => {
    waiting.push(step);
    if (waiting.length === 1) setImmediate(pump);
  };
  return (step: Step): Promise<Moved | null> =>
    new Promise((resolve, reject) => {
      add({ ...step, resolve, reject });
    });
};

const isMoved = (outcome: NonNullable<Outcome>): outcome is Moved => 'command' in outcome;
