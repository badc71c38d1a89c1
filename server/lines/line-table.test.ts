import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LineTableRow } from '#contract/line-table.ts';
import { lineChannels } from '#contract/telemetry.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeTag, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { lineRoutes } from './lines.routes.ts';

let world: World;
let client: Client;
let userId: number;
let project: Awaited<ReturnType<typeof makeProject>>;
beforeAll(async () => {
  world = await createWorld((serve) => lineRoutes(serve, { provePassword }));
});
afterAll(() => world.close());
beforeEach(async () => {
  project = await makeProject(world.db);
  userId = (await makeUser(world.db, { role: 3, projects: [project] })).id;
  client = await world.as(userId);
});

interface Reported {
  position?: 0 | 1;
  secondsAgo?: number;
  trip?: number;
}
const report = (
  line: { id: number },
  type: 3 | 4 | 5,
  values: Record<string, number>,
  { position = 1, secondsAgo = 0, trip = 0 }: Reported = {},
) =>
  world.pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, trip, channels)
     values ($1, $2, $2, 1, 1, $3, $2, $4, $5)`,
    [
      line.id,
      new Date(world.clock.now() - 1000 * secondsAgo),
      position,
      trip,
      lineChannels[type].map((name) => values[name] ?? null),
    ],
  );
const table = async (more: Record<string, unknown> = {}, by = client) => {
  const { data } = await by.call('/device_line/get_project_lines', { project_id: project.id, ...more });
  return data as { list: LineTableRow[]; total: number; truncated: boolean };
};
const names = async (more: Record<string, unknown> = {}) => (await table(more)).list.map(({ name }) => name);
const rename = (line: { id: number }, name: string) =>
  world.db.updateTable('lines').set({ name }).where('id', '=', line.id).execute();

/** Four lines of 40 A: normal, at half of the current, near the leakage limit, and one silent for an hour. */
const furnish = async () => {
  const device = await makeDevice(world.db, {
    project_id: project.id,
    type: 3,
    lines: 4,
    rated_current: 40,
    online: true,
  });
  const [calm, half, leaking, silent] = device.lines;
  await report(calm!, 3, { 'U.a': 220, 'I.a': 4.4, 'P.t': 900, IL: 3, 'T.l': 20 });
  await report(half!, 3, { 'U.a': 220, 'I.a': 22, 'P.t': 4800, IL: 3, 'T.l': 21 });
  await report(leaking!, 3, { 'U.a': 220, 'I.a': 4.4, 'P.t': 900, IL: 27, 'T.l': 22 });
  await report(silent!, 3, { 'U.a': 220, 'I.a': 60, 'P.t': 9000, IL: 3, 'T.l': 23 }, { secondsAgo: 3600 });
  const all = Object.entries({ calm, half, leaking, silent });
  for (const [name, line] of all) await rename(line!, name);
  return { device, calm: calm!, half: half!, leaking: leaking!, silent: silent! };
};

describe('the lines of a project', () => {
  test('the lines of a project have the quantity that is closest to its limit, the closest line first and old values after fresh ones', async () => {
    await furnish();
    const { list, total, truncated } = await table();
    expect(list.map(({ name }) => name)).toEqual(['leaking', 'half', 'calm', 'silent']);
    expect([total, truncated]).toEqual([4, false]);
    expect(list[0]).toMatchObject({
      state: 'closed',
      stale: false,
      current: 4.4,
      share: expect.closeTo(11) as number,
      power: 900,
      leakage: 27,
      temperature: 22,
      closest: { channel: 'IL', value: 27, percent: 90, limit: 30, low: false },
    });
    expect(list[1]).toMatchObject({
      share: expect.closeTo(55),
      closest: { channel: 'I.a', limit: 44, percent: 50 },
    });
    expect(list[3]).toMatchObject({ values_stale: true, stale: true });
    expect(list[3]!.closest!.percent).toBeGreaterThan(100);
  });

  test('the lines of a project have the model on their label, and are found by it', async () => {
    const { half } = await furnish();
    const change = { line_id: half.id, revision: 1, model: ' iC65N C40 ' };
    expect((await client.call('/device/change_device_line', change)).data).toMatchObject({ revision: 2 });
    const { list } = await table({ text: 'c65n' });
    expect(list.map(({ name, model }) => [name, model])).toEqual([['half', 'iC65N C40']]);
  });

  test('the lines of a project are sorted by any column in both directions, with never measured lines last', async () => {
    const { device } = await furnish();
    await makeDevice(world.db, { project_id: project.id, number: `${device.number}Z` });
    for (const sort of ['temperature', '-temperature']) {
      const order = await names({ sort });
      const fresh = ['calm', 'half', 'leaking'];
      expect(order).toEqual([
        ...(sort === 'temperature' ? fresh : fresh.toReversed()),
        ...['silent', 'Line 1'],
      ]);
    }
    expect(await names({ sort: 'name' })).toEqual(['Line 1', 'calm', 'half', 'leaking', 'silent']);
  });

  test('the lines of a project are filtered by position as in the project’s counts, by alarm, trip, age, tag and words', async () => {
    const { device, calm, half, leaking } = await furnish();
    const meter = await makeDevice(world.db, { project_id: project.id, type: 5 });
    await rename(meter.lines[0]!, 'meter');
    await world.db
      .updateTable('line_latest')
      .set({ position: 0, trip: 201 })
      .where('line_id', '=', half.id)
      .execute();
    await makeAlarm(world.pool, device, { at: world.clock.now(), lineId: leaking.id, level: 2 });
    await makeAlarm(world.pool, device, { at: world.clock.now(), lineId: calm.id, level: 1 });
    await makeTag(world.db, { line_id: calm.id }, { owner: userId, at: world.clock.now() });
    const sorted = async (more: Record<string, unknown>) => (await names(more)).sort();
    expect(await sorted({ state: 'closed' })).toEqual(['calm', 'leaking']);
    expect(await sorted({ state: 'open' })).toEqual(['half']);
    expect(await sorted({ state: 'unknown' })).toEqual(['silent']);
    expect(await sorted({ state: 'meter' })).toEqual(['meter']);
    expect(await sorted({ alarm: 'any' })).toEqual(['calm', 'leaking']);
    expect(await sorted({ alarm: 'alarm' })).toEqual(['leaking']);
    expect(await sorted({ tripped: true })).toEqual(['half']);
    expect(await sorted({ stale: true })).toEqual(['meter', 'silent']);
    expect(await sorted({ tagged: true })).toEqual(['calm']);
    expect(await sorted({ text: 'LEAK' })).toEqual(['leaking']);
    expect(await sorted({ text: device.number })).toHaveLength(4);
    expect(await sorted({ device_id: meter.id })).toEqual(['meter']);
    const [tagged] = (await table({ tagged: true })).list;
    expect(tagged).toMatchObject({ tags: 1, alarms: 1, worst: 1 });
  });

  test('the lines of a project use the limits of each line, and limits of low voltage only while it is closed', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, type: 3, lines: 2 });
    const [closed, open] = device.lines;
    await report(closed!, 3, { 'U.a': 187 });
    await report(open!, 3, { 'U.a': 187 }, { position: 0 });
    await world.db
      .updateTable('lines')
      .set({ thresholds: JSON.stringify({ uv_a: 180 }) })
      .where('id', '=', closed!.id)
      .execute();
    const { list } = await table({ sort: 'device' });
    expect(list[0]!.closest).toMatchObject({ channel: 'U.a', limit: 180, low: true });
    expect(list[1]!.closest).toBeNull();
  });

  test('the lines of a project are given page by page', async () => {
    await furnish();
    expect(await names({ limit: 3, page: 2 })).toEqual(['silent']);
    expect((await table({ limit: 3, page: 2 })).total).toBe(4);
  });

  test('the lines of a project are those of the caller’s parts; a foreign project gets the same answer as an unknown one', async () => {
    const part = await makePart(world.db, project.id);
    await makeDevice(world.db, { project_id: project.id });
    const own = await makeDevice(world.db, { project_id: project.id, part_id: part.id });
    const keeper = await makeUser(world.db, { role: 3, projects: [{ id: project.id, parts: [part.id] }] });
    const { list } = await table({}, await world.as(keeper.id));
    expect(list.map(({ device_id }) => device_id)).toEqual([own.id]);
    const stranger = await world.as((await makeUser(world.db, { role: 3 })).id);
    for (const project_id of [project.id, 999_999])
      expect((await stranger.call('/device_line/get_project_lines', { project_id })).status).toBe(404);
  });

  test('the lines of a project are exported with the same filters, in the reader’s language', async () => {
    await furnish();
    const { response } = await client.call(
      '/device_line/export_project_lines',
      { project_id: project.id, stale: false },
      { 'accept-language': 'en-US' },
    );
    const rows = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
    const column = (title: string) => rows[0]!.indexOf(title);
    expect(rows.slice(1).map((row) => row[column('Line name')])).toEqual(['leaking', 'half', 'calm']);
    expect(rows[1]![column('Closeness (%)')]).toBe(90);
    expect(rows[1]![column('Closest to its limit')]).toBe('Leakage current');
    expect(rows[1]![column('State')]).toBe('Closed');
  });
});
