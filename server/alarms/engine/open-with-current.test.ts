import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const contacts = { poles: 1 };
/** The line switches, is reported open and carries this current. */
const open = (seconds: number, amperes: number) =>
  server.read(seconds, { 'I.a': amperes }, { line: { ...server.line, contacts }, position: 0 });
const failed = (seconds: number, active = true) =>
  server.find(seconds, 703, active, { ...server.line, contacts });
const shown = async () =>
  (await server.list()).map(
    ({ typeNumber, value, active }) => `${typeNumber} ${value} ${active ? 'active' : 'ended'}`,
  );

it('raises no second alarm while a failed command reports the same problem, and readings do not end the first one', async () => {
  await open(0, 3.1);
  await failed(10);
  for (const seconds of [20, 60, 120]) await open(seconds, 3.1);
  expect(await shown()).toEqual(['703 null active']);
  for (const seconds of [180, 240, 300]) await open(seconds, 0);
  expect(await shown()).toEqual(['703 null active']);
});
it('raises its own alarm when the failed command is over and the current still flows or flows again', async () => {
  await failed(10);
  await open(20, 3.1);
  await failed(30, false);
  await open(60, 3.1);
  expect(await shown()).toEqual(['703 null ended']);
  await open(120, 3.1);
  expect(await shown()).toContain('703 3.1 active');
});
it('an open line with current and a failed command have separate alarms, and readings end only the first', async () => {
  for (const seconds of [0, 60]) await open(seconds, 3.1);
  await failed(70);
  for (const seconds of [120, 180, 240]) await open(seconds, 0);
  expect((await shown()).toSorted()).toEqual(['703 3.1 ended', '703 null active']);
});
it('an open line with current raises its alarm beside the handled alarm of a failed command', async () => {
  await failed(10);
  await server.handleAll();
  for (const seconds of [20, 60]) await open(seconds, 3.1);
  expect(await shown()).toContain('703 3.1 active');
});
