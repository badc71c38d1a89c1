/** Applies the tested value by the usual calls: the line's own value, or the settings of its device. */
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { provable } from '#web/parts/use-proof.tsx';
import type { TrialLine } from './trial.ts';

/** A line with its new value; null: it follows its project again. */
export interface Change {
  line: TrialLine;
  value: number | null;
}
export interface Applied {
  done: Change[];
  /** Number of values that were sent to devices, which confirm later. */
  sent: number;
  failed: { line: TrialLine; why: string }[];
}

/** The fault of one call concerns the lines of that call; one about the password concerns all. */
const whyOf = (error: unknown): string => {
  if (
    !(error instanceof Fault) ||
    error.reason === 'password_needed' ||
    (error.fields['password'] ?? error.alsoFields['password']) !== undefined
  )
    throw error;
  return Object.values(error.fields)[0] ?? error.message;
};

/** One call for each device that keeps the parameter itself, and one for each other line. */
const stepsOf = (changes: readonly Change[]): Change[][] => {
  const byDevice = new Map<number, Change[]>();
  const steps: Change[][] = [];
  for (const change of changes) {
    const { on_device, device_id } = change.line;
    if (!on_device) steps.push([change]);
    else if (byDevice.has(device_id)) byDevice.get(device_id)!.push(change);
    else {
      const step = [change];
      byDevice.set(device_id, step);
      steps.push(step);
    }
  }
  return steps;
};

const applyStep = async (key: string, step: readonly Change[], password?: string): Promise<TrialLine[]> => {
  const { line, value } = step[0]!;
  const proof = password === undefined ? {} : { password };
  if (!line.on_device) {
    const { revision } = await call(
      lineEndpoints.change,
      { line_id: line.line_id, revision: line.revision, thresholds: { [key]: value }, ...proof },
      { ...provable, quiet: true },
    );
    return [{ ...line, revision }];
  }
  const { staged } = await call(
    deviceSettingEndpoints.set,
    {
      device_id: line.device_id,
      revision: line.settings_revision,
      settings: step.map((change) => ({
        key,
        n: change.line.n,
        value: change.value ?? change.line.value ?? 0,
      })),
      ...proof,
    },
    { ...provable, quiet: true },
  );
  return step.map((change) => ({
    ...change.line,
    settings_revision: staged?.revision ?? change.line.settings_revision,
  }));
};

/** Runs the steps; when called again with the password, it continues where it stopped. */
export const createApply = (
  key: string,
  changes: readonly Change[],
  onProgress: (done: number) => void,
): { run: (password?: string) => Promise<void>; applied: Applied } => {
  const steps = stepsOf(changes);
  const applied: Applied = { done: [], sent: 0, failed: [] };
  let next = 0;
  return {
    applied,
    run: async (password) => {
      while (next < steps.length) {
        const step = steps[next]!;
        try {
          const lines = await applyStep(key, step, password);
          applied.done.push(...step.map(({ value }, index) => ({ line: lines[index]!, value })));
          if (step[0]!.line.on_device) applied.sent += step.length;
        } catch (error) {
          const why = whyOf(error);
          applied.failed.push(...step.map(({ line }) => ({ line, why })));
        }
        next += 1;
        onProgress(applied.done.length + applied.failed.length);
      }
    },
  };
};

/** The undo of applied changes: the previous value, or none if the line had none of its own. */
export const undoOf = (done: readonly Change[]): Change[] =>
  done.map(({ line }) => ({ line, value: line.on_device ? line.value : line.own }));
