import type { Db } from '#database/connect.ts';
import type { ControlFindings } from './control.findings.ts';
import { type Change, next, type Stimulus } from './control.life.ts';
import { controlSettings } from './control.settings.ts';
import { type CommandRow, controlStore } from './control.store.ts';

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

/**
 * Lets stimuli act on commands under their rows' locks. What comes while others are under way shares one transaction;
 * a group that fails is tried one by one, so that none spoils the others. Gives what changed, or null.
 */
export const createAdvancer = ({ db, findings }: { db: Db; findings: ControlFindings | null }) => {
  let waiting: Waiting[] = [];
  let groups = 0;

  /** Null for a step whose finding must be on disk with it: that one waits on others and goes alone. */
  const group = (steps: readonly Step[]): Promise<(Moved | 'alone' | null)[]> =>
    db.transaction().execute(async (trx) => {
      const store = controlStore(trx);
      const commands = await store.hold(steps.map((step) => step.id));
      if (commands.size === 0) return steps.map(() => null);
      const { evidenceS } = await controlSettings(trx);
      const results: (Moved | 'alone' | null)[] = [];
      const together = [...commands.values()];
      for (const { id, stimulusFor, at } of steps) {
        const command = commands.get(id);
        const stimulus = command && (await stimulusFor(command, trx, together));
        const change = command && stimulus ? next(command, stimulus, at, 1000 * evidenceS) : null;
        const alone = change?.state === 'mismatch' && steps.length > 1;
        results.push(alone ? 'alone' : command && change ? { command, change } : null);
      }
      const moved = results.filter((result) => result !== null && result !== 'alone');
      const applied = await store.apply(moved);
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
