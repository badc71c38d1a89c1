import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { qualityMetrics } from '#contract/alarm-quality.ts';
import { metricWords, qualityColumns, qualitySections } from '#contract/alarm-quality-words.ts';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmStatisticsRoutes } from './alarm-statistics.routes.ts';

const minute = 60_000;
const hour = 60 * minute;
const path = '/alarm_statistics/get_quality';
let world: World;
let admin: Client;
let operator: Client;
let partOperator: Client;
let tower: Awaited<ReturnType<typeof makeProject>>;
let mill: Awaited<ReturnType<typeof makeProject>>;
let devices: Awaited<ReturnType<typeof makeDevice>>[];
/** Midnight in Shanghai of the day before; it is 10:00 now. */
let yesterday: number;

beforeAll(async () => {
  world = await createWorld((serve) => {
    alarmStatisticsRoutes(serve);
    alarmRoutes(serve);
  });
  tower = await makeProject(world.db, { name: 'Bay Tower' });
  mill = await makeProject(world.db, { name: 'Far Mill' });
  const part = await makePart(world.db, tower.id);
  devices = [
    await makeDevice(world.db, { project_id: tower.id }),
    await makeDevice(world.db, { project_id: tower.id, part_id: part.id }),
    await makeDevice(world.db, { project_id: mill.id }),
  ];
  yesterday = Date.parse('2026-11-19T00:00+08:00');
  const raise = (device: number, at: number, more: object = {}) =>
    makeAlarm(world.pool, devices[device]!, { at, cleared: true, ...more });
  // A flood of 20 minutes: 12, then 6 alarms; three of them in the part of the project.
  for (let index = 0; index < 12; index += 1)
    await raise(index < 3 ? 1 : 0, yesterday + 8 * hour + index * 40_000, { code: 201, severity: 2 });
  for (let index = 0; index < 6; index += 1)
    await raise(0, yesterday + 8 * hour + 10 * minute + index * minute, { code: 203, severity: 4, level: 1 });
  await raise(0, yesterday + 12 * hour, { code: 301, severity: 1 });
  // Deleted and suppressed alarms do not count.
  await raise(0, yesterday + 8 * hour, { deleted: true });
  await raise(0, yesterday + 8 * hour, { suppressed: true });
  // Active for days: raised before the period; and one that ended today.
  await makeAlarm(world.pool, devices[0]!, { at: yesterday - 30 * hour, code: 801, severity: 3 });
  const ended = await makeAlarm(world.pool, devices[0]!, {
    at: yesterday - 4 * hour,
    code: 403,
    severity: 3,
  });
  await world.pool.query('update alarms set cleared_at = $2 where id = $1', [
    ended,
    new Date(yesterday + 26 * hour),
  ]);
  const chattering = await raise(0, yesterday + 13 * hour, { code: 102, severity: 3 });
  await world.pool.query(`update alarms set tags = array['chattering'] where id = $1`, [chattering]);
  await raise(2, yesterday + 9 * hour, { code: 101, severity: 3 });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [tower] })).id);
  partOperator = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: tower.id, parts: [part.id] }] })).id,
  );
});
afterAll(() => world.close());

const day = { first_day: '2026-11-19', last_day: '2026-11-19' };
const ofDay = async (client: Client, more: object = {}) =>
  (await client.call(path, { ...day, ...more })).data;
const total = async (client: Client, filter: object): Promise<number> =>
  (await client.call('/device_warning/WarningList', { ...filter, limit: 1 })).data.total;

describe('alarm quality', () => {
  test('measures rate, peak and floods of a day', async () => {
    const quality = await ofDay(operator);
    expect(quality).toMatchObject({
      hours: 24,
      raised: 20,
      windows: 144,
      windows_over: 1,
      peak_at: '2026-11-19T00:00:00.000Z',
      floods: {
        count: 1,
        minutes: 20,
        list: [{ minutes: 20, raised: 18, from: '2026-11-19T00:00:00.000Z' }],
      },
      metrics: { per_day: 20, peak: 12, over_share: 1 / 144, flood_share: 2 / 144 },
      days: [{ day: '2026-11-19', raised: 20, over: 1 }],
    });
    expect(quality.metrics.per_hour).toBeCloseTo(20 / 24);
    expect(quality.metrics.per_ten_minutes).toBeCloseTo(20 / 144);
  });

  test('counts the alarms that the list shows, for each role', async () => {
    for (const client of [admin, operator, partOperator]) {
      const quality = await ofDay(client);
      const shown = await total(client, { from: quality.from, to: quality.to });
      expect(quality.raised).toBe(shown);
      for (const { severity, raised } of quality.severities)
        expect(raised).toBe(await total(client, { from: quality.from, to: quality.to, severity }));
    }
    expect((await ofDay(partOperator)).raised).toBe(3);
    expect((await ofDay(admin)).raised).toBe(21);
    expect((await ofDay(admin, { project_id: mill.id })).raised).toBe(1);
  });

  test('divides the alarms by the number of operator positions on duty', async () => {
    const quality = await ofDay(operator, { positions: 2 });
    expect(quality).toMatchObject({
      windows_over: 0,
      floods: { count: 0 },
      metrics: { peak: 6, per_day: 10 },
    });
  });

  test('lists the alarms that are active at the end of the period, with their duration', async () => {
    const quality = await ofDay(operator);
    expect(quality.standing).toMatchObject({ active: 2, stale: 2 });
    expect(quality.standing.list.map(({ typeNumber }: { typeNumber: number }) => typeNumber)).toEqual([
      801, 403,
    ]);
    const today = (await operator.call(path, { first_day: '2026-11-20', last_day: '2026-11-20' })).data;
    expect(today).toMatchObject({ hours: 10, windows: 60, standing: { active: 1, stale: 1 } });
    expect(today.before).toMatchObject({ raised: 18 });
  });

  test('names the worst sources with a proposal for each, and the chattering alarms', async () => {
    const quality = await ofDay(operator);
    expect(quality.chattering).toEqual({ sources: 1, alarms: 1 });
    expect(quality.worst[0]).toMatchObject({
      typeNumber: 201,
      raised: 9,
      share: 9 / 20,
      project_name: 'Bay Tower',
      device_number: devices[0]!.number,
      proposal: 'steady',
    });
    const of102 = quality.worst.find(({ typeNumber }: { typeNumber: number }) => typeNumber === 102);
    expect(of102).toMatchObject({ chattering: 1, proposal: 'steady' });
    expect(quality.metrics.worst_share).toBe(1);
  });

  test('leaves rates and shares empty if no alarm was raised', async () => {
    const { data } = await admin.call(path, { first_day: '2026-01-01', last_day: '2026-01-02' });
    expect(data).toMatchObject({ raised: 0, windows: 288, peak_at: null, worst: [], floods: { count: 0 } });
    expect(data.severities.map(({ share }: { share: unknown }) => share)).toEqual([null, null, null, null]);
    const later = await admin.call(path, { first_day: '2030-01-01', last_day: '2030-01-02' });
    expect(later.data).toMatchObject({
      raised: 0,
      hours: 0,
      windows: 0,
      metrics: { per_hour: 0, flood_share: 0 },
    });
  });

  test('marks the field of a reversed range and of zero positions', async () => {
    const reversed = { first_day: '2026-11-20', last_day: '2026-11-19' };
    expect(await admin.call(path, reversed)).toMatchObject({
      status: 422,
      data: { last_day: expect.any(String) },
    });
    expect(await admin.call(path, { positions: 0 })).toMatchObject({
      status: 422,
      data: { positions: expect.any(String) },
    });
  });

  test('alarm quality is exported with the same figures', async () => {
    const quality = await ofDay(operator);
    const { response } = await operator.call('/alarm_statistics/export_quality', day, {
      'accept-language': 'en-US',
    });
    const [header, ...rows] = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
    expect(header).toEqual(Object.values(qualityColumns).map((words) => words['en-US']));
    const of = (section: keyof typeof qualitySections) =>
      rows.filter(([name]) => name === qualitySections[section]['en-US']);
    expect(of('metric').map(([, name]) => name)).toEqual(
      qualityMetrics.map((metric) => metricWords[metric].name['en-US']),
    );
    expect(of('worst').map((row) => row[2])).toEqual(
      quality.worst.map(({ raised }: { raised: number }) => raised),
    );
    // A sheet has no zones: its times are those of the project.
    const inSheet = (at: string) => new Date(Date.parse(at) + 8 * 3_600_000);
    expect(of('flood').map((row) => row.slice(-2))).toEqual(
      quality.floods.list.map(({ from, to }: { from: string; to: string }) => [inSheet(from), inSheet(to)]),
    );
    expect(of('stale').map((row) => row.at(-2))).toEqual(
      quality.standing.list.map(({ raised_at }: { raised_at: string }) => inSheet(raised_at)),
    );
    expect(of('day').map((row) => row[2])).toEqual([20]);
  });
});
