import type { Db } from '#database/connect.ts';
import type { ControlFindings } from './control.findings.ts';
import { type Change, changed, nextOfAll, type Stimulus, type Told } from './control.life.ts';
import { controlSettings } from './control.settings.ts';
import { type CommandRow, controlStore } from './control.store.ts';
import { type StoredAnswer, toldStore } from './control.told.ts';

/** `together`: the commands whose steps share the transaction, for what is better asked for all of them at once. */
export type StimulusFor = (
  command: CommandRow,
  trx: Db,
  together: readonly CommandRow[],
) => Promise<Stimulus | null> | Stimulus | null;
export interface Step {
  id: string;
  stimulusFor: StimulusFor;
  at: number;
  /** Looks for what the device told in other ways than an answer, because it may have been missed. */
  looksBack?: boolean;
}
export interface Moved {
  command: CommandRow;
  change: Change;
}
interface Waiting extends Step {
  resolve: (moved: Moved | null) => void;
  reject: (error: unknown) => void;
}
const mostTogether = 250;
const mostGroups = 2;

/** An answer of another device is no answer. */
const answersTo = (command: CommandRow, answers: readonly StoredAnswer[]): Told[] =>
  answers
    .filter(({ deviceId }) => deviceId === command.deviceId)
    .map(({ ack, receivedAt }) => ({ stimulus: { kind: 'answered', ack }, at: receivedAt }));

/**
 * Lets stimuli act on commands under their rows' locks, each after the answers to its command that nobody took yet.
 * What comes while others are under way shares one transaction; a group that fails is tried one by one, so that none
 * spoils the others. Gives what changed, or null.
 */
export const createAdvancer = ({ db, findings }: { db: Db; findings: ControlFindings | null }) => {
  let waiting: Waiting[] = [];
  let groups = 0;

  /** Null for a step whose finding must be on disk with it: that one waits on others and goes alone. */
  const group = (steps: readonly Step[]): Promise<(Moved | 'alone' | null)[]> =>
    db.transaction().execute(async (trx) => {
      const store = controlStore(trx);
      const told = toldStore(trx);
      const ids = steps.map((step) => step.id);
      const commands = await store.hold(ids);
      const answers = Map.groupBy(await told.answers(ids), ({ commandId }) => commandId);
      if (commands.size === 0 && answers.size === 0) return steps.map(() => null);
      const evidenceMs = 1000 * (await controlSettings(trx)).evidenceS;
      const together = [...commands.values()];
      const changeOf = async (
        { stimulusFor, at, looksBack }: Step,
        command: CommandRow,
      ): Promise<Change | null> => {
        const all = answersTo(command, answers.get(command.id) ?? []);
        const asTold = () => changed(command, nextOfAll(command, all, evidenceMs) ?? {});
        const move = looksBack ? await told.move(asTold()) : null;
        if (move) all.push(move);
        const stimulus = await stimulusFor(asTold(), trx, together);
        if (stimulus) all.push({ stimulus, at });
        return nextOfAll(command, all, evidenceMs);
      };
      const results: (Moved | 'alone' | null)[] = [];
      const taken: StoredAnswer[] = [];
      for (const step of steps) {
        const command = commands.get(step.id);
        const change = command ? await changeOf(step, command) : null;
        const alone = change?.state === 'mismatch' && steps.length > 1;
        results.push(alone ? 'alone' : command && change ? { command, change } : null);
        if (!alone) taken.push(...(answers.get(step.id) ?? []));
      }
      const moved = results.filter((result) => result !== null && result !== 'alone');
      const applied = await store.apply(moved);
      await told.take(taken);
      for (const { command, change } of moved)
        if (change.state === 'mismatch' && applied.has(command.id))
          await findings?.mismatch(command.lineId, change.seen?.position ?? null, change.endedAt!);
      return results.map((result) =>
        result === null || result === 'alone' || applied.has(result.command.id) ? result : null,
      );
    });
  const one = async ({ resolve, reject, ...step }: Waiting): Promise<void> => {
    try {
      const [moved] = await group([step]);
      resolve(moved === 'alone' ? null : (moved ?? null));
    } catch (error) {
      reject(error);
    }
  };
  const runGroup = async (steps: readonly Waiting[]): Promise<void> => {
    if (steps.length === 1) return one(steps[0]!);
    const results = await group(steps).catch(() => steps.map(() => 'alone' as const));
    for (const [index, step] of steps.entries()) {
      const result = results[index] ?? null;
      if (result === 'alone') await one(step);
      else step.resolve(result);
    }
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
  return (step: Step): Promise<Moved | null> =>
    new Promise((resolve, reject) => {
      waiting.push({ ...step, resolve, reject });
      if (waiting.length === 1) setImmediate(pump);
    });
};
