import { expect, it } from 'vitest';
import { makePart, makeProject, makeUser } from '#test/factories.ts';
import { judgedWorld } from './judged.world.ts';

const house = judgedWorld();
const { alarmOf, ledger, plansAfter, rule, told } = house;
const minute = 60_000;
const hour = 60 * minute;

const stored = async (code: number): Promise<number> =>
  (await house.server.world.pool.query('select id from alarms where code = $1 order by id desc', [code]))
    .rows[0].id;
const historyOf = async (id: number) =>
  (await house.server.operator.call('/device_warning/getDetatil', { id })).data.history as {
    kind: string;
    data: Record<string, unknown>;
  }[];
const place = (values: { project_id?: number | null; part_id?: number; deleted_at?: Date }) =>
  house.server.world.db
    .updateTable('devices')
    .set(values)
    .where('id', '=', house.server.line.deviceId)
    .execute();
/** Runs the review that takes place every minute. */
const reviewed = async (expected: () => Promise<unknown>) => {
  house.server.world.clock.advance(minute);
  await expect.poll(expected, { timeout: 8000 }).toBeTruthy();
};

it('an alarm of a deleted device ends with that reason, sends an all-clear, stays unprocessed and reminds nobody', async () => {
  await house.server.event(0, { st: 'raise', code: 402, eid: '1-1' });
  await plansAfter(1000);
  const id = await alarmOf(402);
  await place({ project_id: null, deleted_at: new Date(house.server.world.clock.now()) });
  await reviewed(async () => (await house.server.list()).every(({ active }) => !active));
  expect((await historyOf(id)).at(-1)).toMatchObject({ kind: 'cleared', data: { by: 'removed' } });
  expect(await house.server.list()).toMatchObject([{ id, status: 'unprocessed' }]);
  await plansAfter(10 * minute);
  await plansAfter(2 * hour);
  expect(await ledger(id)).toEqual(['raised accepted', 'cleared accepted']);
  expect(JSON.parse(house.service.heard.at(-1)!.body).title).toBe(
    'Device removed: Main-core over-temperature',
  );
});
it('users who were notified of an alarm get its all-clear, also if its return notifies other users', async () => {
  await house.server.world.db.deleteFrom('notices').execute();
  await rule({ path: 'early', levels: [1] });
  await rule({ path: 'grave', levels: [2] });
  await house.server.event(0, { st: 'raise', code: 102, lvl: 1, eid: '1-1' });
  await plansAfter(1000);
  await house.server.event(60, { st: 'clear', code: 102, lvl: 1, eid: '1-1' });
  await house.server.event(70, { st: 'raise', code: 102, lvl: 2, eid: '1-2' });
  await plansAfter(5 * minute);
  expect([told('early'), told('grave')]).toEqual([['raised 102', 'cleared 102'], ['raised 102']]);
});
it('the former owner of a moved device is notified that its alarm is over, and the new owner that it is active', async () => {
  const other = (await makeProject(house.server.world.db)).id;
  await house.server.world.db.deleteFrom('notices').execute();
  await rule({ path: 'former', projects: [house.server.line.projectId!] });
  await rule({ path: 'present', projects: [other] });
  await house.server.event(0, { st: 'raise', code: 402, eid: '1-1' });
  await plansAfter(1000);
  await place({ project_id: other });
  await reviewed(async () => (await house.server.list()).length === 2);
  await plansAfter(5 * minute);
  expect([told('former'), told('present')]).toEqual([['raised 402', 'cleared 402'], ['raised 402']]);
  const last = house.service.heard.filter(({ path }) => path === '/former').at(-1)!;
  expect(JSON.parse(last.body).title).toBe('Device moved: Main-core over-temperature');
});
it('users of a part are notified that its alarm moved with its device, and users of the new part get the alarm', async () => {
  const { world, line } = house.server;
  await world.db.deleteFrom('notices').execute();
  const projectId = line.projectId!;
  const parts = [await makePart(world.db, projectId), await makePart(world.db, projectId)] as const;
  for (const [index, { id }] of parts.entries()) {
    const projects = [{ id: projectId, parts: [id] }];
    const owner = (await makeUser(world.db, { role: 32, projects })).id;
    await rule({ path: `part${index}`, projects: [projectId], owner });
  }
  await place({ part_id: parts[0].id });
  await house.server.event(0, { st: 'raise', code: 402, eid: '1-1' }, { ...line, partId: parts[0].id });
  await plansAfter(1000);
  expect([told('part0'), told('part1')]).toEqual([['raised 402'], []]);
  await place({ part_id: parts[1].id });
  await reviewed(async () => (await house.server.list()).length === 2);
  await plansAfter(5 * minute);
  expect([told('part0'), told('part1')]).toEqual([['raised 402', 'cleared 402'], ['raised 402']]);
});
it('users who were notified of an alarm get its all-clear, also if it became a consequence meanwhile', async () => {
  await rule({ path: 'volts', codes: [102] });
  await house.server.event(0, { st: 'raise', code: 102, eid: '1-1' });
  await plansAfter(1000);
  await house.server.event(5, { st: 'raise', code: 103, eid: '1-2' });
  expect(await house.server.list()).toMatchObject([{ typeNumber: 103 }]);
  await house.server.event(120, { st: 'clear', code: 102, eid: '1-1' });
  await plansAfter(5 * minute);
  expect(told('volts')).toEqual(['raised 102', 'cleared 102']);
  await house.server.event(400, { st: 'clear', code: 103, eid: '1-2' });
  await plansAfter(10 * minute);
  expect(told('volts')).toEqual(['raised 102', 'cleared 102']);
});
it('a rule for trips notifies of a trip that joins the work order of its cause', async () => {
  await rule({ path: 'trips', codes: [701] });
  await house.server.event(0, { st: 'raise', code: 201, eid: '1-1' });
  await plansAfter(1000);
  expect(told('trips')).toEqual([]);
  await house.server.read(60, { 'I.a': 0 }, { trip: 201, position: 0 });
  await plansAfter(5 * minute);
  expect(told('trips')).toEqual(['raised 201']);
  expect(JSON.parse(house.service.heard.at(-1)!.body).text).toContain('(the line tripped)');
  await house.server.event(600, { st: 'clear', code: 201, eid: '1-1' });
  await house.server.reset(601);
  await plansAfter(12 * minute);
  expect(told('trips')).toEqual(['raised 201', 'cleared 201']);
});
it.each([
  { codes: [201, 701], said: 'a rule for both' },
  { codes: [], said: 'a rule for all types' },
  { codes: [201], said: 'a rule for the cause alone' },
])(
  '$said hears of a trip that joins an alarm it was told of, once, also within its silence period',
  async ({ codes }) => {
    await rule({ path: 'both', codes });
    await house.server.world.db
      .updateTable('notices')
      .set({ silence_minutes: 60 })
      .where('webhook_url', 'like', '%/both')
      .execute();
    await house.server.event(0, { st: 'raise', code: 201, eid: '1-1' });
    await plansAfter(1000);
    expect(told('both')).toEqual(['raised 201']);
    for (const seconds of [300, 360, 420])
      await house.server.read(seconds, { 'I.a': 0 }, { trip: 201, position: 0 });
    await plansAfter(8 * minute);
    expect(told('both')).toEqual(['raised 201', 'escalated 201']);
    expect(JSON.parse(house.service.heard.at(-1)!.body)).toMatchObject({
      text: expect.stringContaining('(the line tripped)'),
    });
    await plansAfter(20 * minute);
    expect(told('both')).toHaveLength(2);
  },
);
it('announces a consequence that begins after its cause was handled', async () => {
  await house.server.event(0, { st: 'raise', code: 103, eid: '1-1' });
  await plansAfter(1000);
  await house.server.handleAll();
  await house.server.event(600, { st: 'raise', code: 104, eid: '1-2' });
  await plansAfter(12 * minute);
  expect(told()).toEqual(['raised 103', 'raised 104']);
});
it('a held offline alarm explains nothing that happens while the device is back', async () => {
  for (const seconds of [0, 60, 120]) {
    await house.server.find(seconds, 801, true, house.server.deviceLine);
    await house.server.find(seconds + 30, 801, false, house.server.deviceLine);
  }
  await house.server.read(155, { 'U.a': 0, 'I.a': 0 }, { position: 0 });
  await house.server.find(160, 704);
  await plansAfter(5 * minute);
  expect(told()).toContain('raised 704');
});
it('announces a measured consequence whose cause ended, although its device sends no more readings', async () => {
  await house.server.event(0, { st: 'raise', code: 103, eid: '1-1' });
  await plansAfter(1000);
  for (const seconds of [5, 65, 125]) await house.server.read(seconds, { 'U.a': 150 });
  await house.server.event(130, { st: 'clear', code: 103, eid: '1-1' });
  expect(await stored(102)).toBeGreaterThan(0);
  await house.server.review(20 * 60);
  await plansAfter(21 * minute);
  expect(told().sort()).toEqual(['cleared 103', 'raised 102', 'raised 103']);
});
it('announces the trip of a shelved alarm', async () => {
  await house.server.event(0, { st: 'raise', code: 201, eid: '1-1' });
  await plansAfter(1000);
  const id = await alarmOf(201);
  expect(
    (await house.server.operator.call('/device_warning/shelve', { ids: [id], minutes: 480, reason: 'known' }))
      .code,
  ).toBe(200);
  await house.server.read(60, { 'I.a': 0 }, { trip: 201, position: 0 });
  await plansAfter(5 * minute);
  expect((await house.server.list()).map(({ typeNumber }) => typeNumber)).toContain(201);
  expect(told().length).toBeGreaterThan(1);
});
it('users who were notified of an alarm get its all-clear, also if the rule was switched off meanwhile', async () => {
  await house.server.event(0, { st: 'raise', code: 402, eid: '1-1' });
  await plansAfter(1000);
  await house.server.world.db.updateTable('notices').set({ enabled: false }).execute();
  await house.server.event(60, { st: 'clear', code: 402, eid: '1-1' });
  await plansAfter(5 * minute);
  expect(told()).toEqual(['raised 402', 'cleared 402']);
});
