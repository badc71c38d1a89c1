import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { rolloutDeviceStates } from '#contract/firmware.ts';
import {
  activeStates,
  afterWave,
  type DeviceUpdate,
  hasTooManyErrors,
  nextStep,
  type Tally,
  type UpdateEvent,
  wavesOf,
} from './firmware.rules.ts';

const update = (given: Partial<DeviceUpdate> = {}): DeviceUpdate => ({
  state: 'downloading',
  from: '1.4.2',
  to: '1.5.0',
  reported: '1.4.2',
  ...given,
});
const progress = (
  st: (UpdateEvent & { kind: 'progress' })['st'],
  err: string | null = null,
): UpdateEvent => ({
  kind: 'progress',
  st,
  err,
});

describe('the update of a device', () => {
  test.each<[string, Partial<DeviceUpdate>, UpdateEvent, string | null]>([
    ['moves on with what the device reports', {}, progress('verified'), 'verified'],
    ['never moves back', { state: 'verified' }, progress('downloading'), null],
    ['is done when the device reports the version', { reported: '1.5.0' }, { kind: 'info' }, 'updated'],
    [
      'is done even if the device reported nothing else',
      { state: 'asked', reported: '1.5.0' },
      { kind: 'info' },
      'updated',
    ],
    ['is not done because the device says so', { state: 'updating' }, progress('updated'), null],
    [
      'has failed when the device says so after it reported the old version',
      { state: 'rolled_back' },
      progress('updated'),
      'failed',
    ],
    [
      'is rolled back when the old version runs after the restart',
      { state: 'updating' },
      { kind: 'info' },
      'rolled_back',
    ],
    ['does not end by a reconnection before the restart', { state: 'downloading' }, { kind: 'info' }, null],
    ['has failed for the reason that the device gives', {}, progress('failed', 'sha256'), 'failed'],
    [
      'is rolled back when the device says so after its command failed',
      { state: 'failed' },
      progress('rolled_back', 'watchdog'),
      'rolled_back',
    ],
    ['has failed when no step comes in time', { state: 'asked' }, { kind: 'deadline' }, 'failed'],
    [
      'is done when the device reports the version after the update was given up',
      { state: 'failed', reported: '1.5.0' },
      { kind: 'info' },
      'updated',
    ],
    ['is not begun by a report of an earlier update', { state: 'waiting' }, progress('downloading'), null],
  ])('the update %s', (_name, given, event, state) => {
    expect(nextStep(update(given), event)?.state ?? null).toBe(state);
  });

  it('a device counts as updated only after it reports the version, and stays updated', () => {
    const events = fc.oneof(
      fc.constantFrom<UpdateEvent>(
        { kind: 'info' },
        { kind: 'deadline' },
        { kind: 'commandEnded', reason: 'x' },
      ),
      fc
        .constantFrom(
          'notified',
          'downloading',
          'downloaded',
          'verified',
          'updating',
          'updated',
          'failed',
          'rolled_back',
        )
        .map((st) => progress(st as 'updated')),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(events, fc.boolean()), { maxLength: 30 }), (given) => {
        let state: DeviceUpdate['state'] = 'asked';
        for (const [event, isNew] of given) {
          const before = state;
          state = nextStep(update({ state, reported: isNew ? '1.5.0' : '1.4.2' }), event)?.state ?? state;
          if (state === 'updated' && before !== 'updated') expect(isNew).toBe(true);
          if (before === 'updated') expect(state).toBe('updated');
        }
      }),
    );
  });
});

describe('waves', () => {
  it('waves contain every device once, the canaries first, and no wave is empty', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 100 }),
        (total, canary, share) => {
          const waves = wavesOf(total, canary, share);
          expect(waves).toHaveLength(total);
          expect(waves[0]).toBe(1);
          expect(waves.every((wave, index) => index === 0 || wave - waves[index - 1]! <= 1)).toBe(true);
          expect(waves.filter((wave) => wave === 1).length).toBe(
            Math.min(total, Math.max(1, Math.ceil((total * canary) / 100))),
          );
        },
      ),
    );
  });
  const tally = (wave: number, state: Tally['state'], n: number): Tally => ({ wave, state, n });
  it('waves begin when every canary has ended and at least one is updated', () => {
    const at = { wave: 1, waves: 3, untried: 0 };
    expect(afterWave([tally(1, 'updating', 1), tally(2, 'waiting', 9)], at)).toBe('stay');
    expect(afterWave([tally(1, 'waiting', 2), tally(2, 'waiting', 9)], at)).toBe('stay');
    expect(afterWave([tally(1, 'updated', 1), tally(1, 'waiting', 1), tally(2, 'waiting', 9)], at)).toBe(
      'next',
    );
    expect(afterWave([tally(1, 'updated', 1), tally(2, 'waiting', 9)], { ...at, untried: 1 })).toBe('stay');
  });
  it('waves are over when no device is left', () => {
    expect(
      afterWave([tally(1, 'updated', 5), tally(2, 'failed', 1)], { wave: 2, waves: 2, untried: 0 }),
    ).toBe('done');
    expect(
      afterWave([tally(1, 'updated', 5), tally(2, 'waiting', 1)], { wave: 2, waves: 2, untried: 0 }),
    ).toBe('stay');
  });
  it('a rollout stops when too large a share of its started devices has failed', () => {
    const failing = (n: number) => [
      tally(1, 'updated', 10 - n),
      tally(1, 'rolled_back', n),
      tally(2, 'waiting', 90),
    ];
    expect(hasTooManyErrors(failing(1), 1, 10)).toBe(false);
    expect(hasTooManyErrors(failing(2), 1, 10)).toBe(true);
    expect(hasTooManyErrors(failing(1), 1, 0)).toBe(true);
    expect(hasTooManyErrors(failing(0), 1, 0)).toBe(false);
  });
  it('waves have no state that is both under way and final', () => {
    expect(
      rolloutDeviceStates.filter((state) => (activeStates as readonly string[]).includes(state)),
    ).toEqual(activeStates);
  });
});
