import pino from 'pino';
import { expect, it } from 'vitest';
import { fakeClock } from '#test/clock.ts';
import { createRounds } from './rounds.ts';

const log = pino({ level: 'silent' });
const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

it('a round runs at its next time, when woken, and once more when woken during a round', async () => {
  const clock = fakeClock();
  const held: PromiseWithResolvers<void>[] = [];
  const rounds = createRounds({
    name: 'test',
    clock,
    log,
    async round() {
      const turn = Promise.withResolvers<void>();
      held.push(turn);
      await turn.promise;
      return clock.now() + 5000;
    },
  });
  rounds.start();
  rounds.wake();
  rounds.wake();
  expect(held).toHaveLength(1);
  held[0]!.resolve();
  await settle();
  expect(held).toHaveLength(2);
  held[1]!.resolve();
  await settle();
  clock.advance(4999);
  expect(held).toHaveLength(2);
  clock.advance(1);
  expect(held).toHaveLength(3);
  held[2]!.resolve();
  await rounds.stop();
  rounds.wake();
  clock.advance(60_000);
  expect(held).toHaveLength(3);
});

it('a round runs at the earliest requested time, also when it is requested during a round', async () => {
  const clock = fakeClock();
  const looks: number[] = [];
  const start = clock.now();
  const rounds = createRounds({
    name: 'test',
    clock,
    log,
    async round() {
      looks.push(clock.now() - start);
      if (looks.length === 1) rounds.wakeAt(start + 3000);
      await Promise.resolve();
      return null;
    },
  });
  rounds.start(start + 1000);
  await settle();
  expect(looks).toEqual([]);
  clock.advance(1000);
  expect(rounds.isBusy()).toBe(true);
  await rounds.settled();
  rounds.wakeAt(start + 9000);
  rounds.wakeAt(start + 2000);
  rounds.wakeAt(start + 5000);
  clock.advance(1000);
  await rounds.settled();
  expect(looks).toEqual([1000, 2000]);
  rounds.wakeAt(start + 2000);
  await rounds.settled();
  expect(looks).toEqual([1000, 2000, 2000]);
  await rounds.stop();
});

it('a failed round is repeated after a second, however often it is woken', async () => {
  const clock = fakeClock();
  let tries = 0;
  const rounds = createRounds({
    name: 'test',
    clock,
    log,
    async round() {
      tries += 1;
      // The event that wakes the round arrives while the round is failing.
      rounds.wake();
      await Promise.resolve();
      throw new Error('the database is away');
    },
  });
  rounds.start();
  await settle();
  for (let event = 0; event < 100; event += 1) {
    rounds.wake();
    await settle();
  }
  expect(tries).toBe(1);
  clock.advance(999);
  await settle();
  expect(tries).toBe(1);
  clock.advance(1);
  await settle();
  expect(tries).toBe(2);
  await rounds.stop();
});
