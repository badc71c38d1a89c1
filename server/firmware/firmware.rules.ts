import type { RolloutDeviceState } from '#contract/firmware.ts';
import type { OtaMessage } from '#contract/telemetry.ts';

export const openStates = [
  'waiting',
  'asked',
  'notified',
  'downloading',
  'downloaded',
  'verified',
  'updating',
] as const satisfies RolloutDeviceState[];
/** The update is running on the device. */
export const activeStates = openStates.filter((state) => state !== 'waiting');
const isActive = (state: RolloutDeviceState): boolean => (activeStates as readonly string[]).includes(state);

export interface DeviceUpdate {
  state: RolloutDeviceState;
  from: string;
  to: string;
  /** The version that the device reports now. */
  reported: string;
}
export type UpdateEvent =
  | { kind: 'progress'; st: OtaMessage['st']; err: string | null }
  /** The device reported its version. */
  | { kind: 'info' }
  | { kind: 'deadline' }
  /** When the command ends without an update: the device refused it, let it expire, or never answered. */
  | { kind: 'commandEnded'; reason: string };
interface Step {
  state: RolloutDeviceState;
  reason: string | null;
  with?: Record<string, string>;
}
const order: readonly RolloutDeviceState[] = activeStates;

/**
 * The effect of an event on a device's update; null: none. The reported version decides: it turns a failed
 * update into a completed one, and a claimed update into a failed one.
 */
export const nextStep = (update: DeviceUpdate, event: UpdateEvent): Step | null => {
  const { state, from, to, reported } = update;
  if (state === 'waiting' || state === 'skipped' || state === 'updated') return null;
  if (reported === to) return { state: 'updated', reason: null };
  switch (event.kind) {
    case 'info':
      // The device reports the old version after its restart. Reports from before the restart say nothing
      // about the update.
      return state === 'updating' ? rolledBack(reported) : null;
    case 'deadline':
      return isActive(state) ? { state: 'failed', reason: 'firmware.timeout' } : null;
    case 'commandEnded':
      return isActive(state) ? { state: 'failed', reason: event.reason } : null;
    case 'progress':
      return onProgress(state, event, reported, from);
  }
};
const rolledBack = (version: string): Step => ({
  state: 'rolled_back',
  reason: 'firmware.rolledBack',
  with: { version },
});

const onProgress = (
  state: RolloutDeviceState,
  { st, err }: UpdateEvent & { kind: 'progress' },
  reported: string,
  from: string,
): Step | null => {
  // The device has reported the old version since, or will report it. Without a report the deadline ends the
  // update.
  if (st === 'updated')
    return state === 'rolled_back'
      ? { state: 'failed', reason: 'firmware.lied', with: { version: reported } }
      : null;
  // The answer to the command may come first and say only that it failed.
  if (st === 'rolled_back' && (isActive(state) || state === 'failed')) return rolledBack(reported || from);
  if (!isActive(state)) return null;
  if (st === 'failed') return { state: 'failed', reason: err ?? 'firmware.failed' };
  return order.indexOf(st) > order.indexOf(state) ? { state: st, reason: null } : null;
};

/** The wave of each device: the canaries first, then waves of equal shares; each has at least one device. */
export const wavesOf = (total: number, canaryPercent: number, wavePercent: number): number[] => {
  const canaries = Math.max(1, Math.ceil((total * canaryPercent) / 100));
  const size = Math.max(1, Math.ceil((total * wavePercent) / 100));
  return Array.from({ length: total }, (_, index) =>
    index < canaries ? 1 : 2 + Math.floor((index - canaries) / size),
  );
};

export interface Tally {
  wave: number;
  state: RolloutDeviceState;
  n: number;
}
const count = (tallies: readonly Tally[], states: readonly RolloutDeviceState[]): number =>
  tallies.reduce((sum, each) => sum + (states.includes(each.state) ? each.n : 0), 0);

/** Whether too many devices of started waves have failed. */
export const hasTooManyErrors = (tallies: readonly Tally[], wave: number, stopPercent: number): boolean => {
  const begun = tallies.filter((each) => each.wave <= wave);
  const all = begun.reduce((sum, { n }) => sum + n, 0);
  const failed = count(begun, ['failed', 'rolled_back']);
  return failed > 0 && failed * 100 > stopPercent * all;
};

/**
 * What follows the present wave: 'stay' while one of its devices is being updated or was not asked yet, or
 * (for the canaries) none has been updated; 'next' wave; 'done' when no device is left. Devices that cannot
 * be asked now (offline, tagged, in alarm) block no other device: they are retried with the later waves.
 */
export const afterWave = (
  tallies: readonly Tally[],
  { wave, waves, untried }: { wave: number; waves: number; untried: number },
): 'stay' | 'next' | 'done' => {
  if (count(tallies, openStates) === 0) return 'done';
  const begun = tallies.filter((each) => each.wave <= wave);
  if (untried > 0 || count(begun, activeStates) > 0 || wave === waves) return 'stay';
  return wave === 1 && count(begun, ['updated']) === 0 && count(begun, ['waiting']) > 0 ? 'stay' : 'next';
};
