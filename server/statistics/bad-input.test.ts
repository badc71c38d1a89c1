/** Figures and refusals for invalid input, in the three languages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import type { TariffContent } from '#contract/tariffs.ts';
import { rebuildDays } from '#server/rollups/rebuild.ts';
import { createRollups, type Rollups } from '#server/rollups/worker.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { statisticsRoutes } from './statistics.routes.ts';

const quarterMs = 900_000;
const hourMs = 3_600_000;
const start = Date.parse('2026-11-01T00:00:00+08:00');
const now = Date.parse('2026-11-04T12:07:00+08:00');
let world: World;
let rollups: Rollups;
let admin: Client;
let project: Awaited<ReturnType<typeof makeProject>>;
let device: Awaited<ReturnType<typeof makeDevice>>;
let silent: Awaited<ReturnType<typeof makeDevice>>;

let seq = 0;
const store = async (line: { id: number }, registerAt: (index: number) => number | null) => {
  const instants = Array.from({ length: (now - start) / quarterMs }, (_, index) => start + index * quarterMs);
  await world.pool.query(
    `insert into readings (line_id, at, boot, seq, rx_ms, energy, channels)
     select $1, u.at, 1, $4 + row_number() over (), 0, u.kwh, array[230, 4.3, 1000, 1, 0, 12, 30]::real[]
     from unnest($2::timestamptz[], $3::double precision[]) as u (at, kwh)`,
    [line.id, instants.map((at) => new Date(at)), instants.map((_, index) => registerAt(index)), seq],
  );
  seq += instants.length;
  await world.pool.query(
    `insert into rollup_dirty select $1::int, hour from generate_series($2::timestamptz, $3, interval '1 hour') hour
     on conflict do nothing`,
    [line.id, new Date(start), new Date(now)],
  );
};
beforeAll(async () => {
  world = await createWorld((serve) => statisticsRoutes(serve));
  await world.pool.query('create table readings_all partition of readings default');
  rollups = createRollups(world);
  project = await makeProject(world.db);
  device = await makeDevice(world.db, { project_id: project.id, lines: 3, rated_current: 40 });
  silent = await makeDevice(world.db, { project_id: project.id });
  await world.db.updateTable('devices').set({ upload_seconds: 900 }).execute();
  world.clock.set(now);
  const [plain, jumping, without] = device.lines;
  await store(plain!, (index) => 500 + index * 0.25);
  // One reading exceeds what the line can carry; later the register is set to zero.
  await store(jumping!, (index) =>
    index === 100 ? 90_000 : index < 200 ? 500 + index * 0.25 : (index - 200) * 0.25,
  );
  await store(without!, () => null);
  await rollups.round();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(async () => {
  await rollups.stop();
  await world.close();
});

const ways = ['energy_detail', 'electricity', 'load', 'energy_export', 'electricity_export', 'load_export'];
const ask = (way: string, body: object, language = 'en-US') =>
  admin.call(`/statistics/${way}`, { project_id: project.id, ...body }, { 'accept-language': language });
const detail = async (body: object) => (await ask('energy_detail', body)).data;
const days = (first_day: string, last_day: string) => ({ period: 'custom', first_day, last_day });

describe('a range', () => {
  it.each([
    ['reversed', days('2026-11-03', '2026-11-01'), 'last_day', 'range.order'],
    ['in the future', { period: 'day', date: '2026-11-05' }, 'date', 'range.future'],
    ['of days in the future', days('2026-11-05', '2026-11-06'), 'first_day', 'range.future'],
    ['without its last day', { period: 'custom', first_day: '2026-11-01' }, 'last_day', 'range.days'],
  ] as const)(
    'a range that is %s is refused at its field, in each language',
    async (_, body, field, code) => {
      for (const way of ways)
        for (const language of languages)
          expect(await ask(way, body, language)).toMatchObject({
            status: 422,
            data: { [field]: faults[code][language] },
          });
    },
  );

  it('a range before the first reading has no figures, and names the time of the first ones', async () => {
    for (const way of ['energy_detail', 'electricity', 'load']) {
      const { data } = await ask(way, { period: 'year', date: '2024-01-01' });
      expect(data.head.data_from).toBe(new Date(start).toISOString());
      expect((data.total ?? data.figures).coverage).toBeNull();
    }
  });

  it('a range of a device that never reported has no time of first figures', async () => {
    for (const way of ['energy_detail', 'electricity', 'load']) {
      const { data } = await ask(way, { device_id: silent.id, period: 'month', date: '2026-11-01' });
      expect(data.head.data_from).toBeNull();
      expect((data.total ?? data.figures).coverage).toBeNull();
    }
  });
});

describe('a register', () => {
  const month = { period: 'month', date: '2026-11-01' };
  it('without a register, energy is calculated from power, and the figures say so', async () => {
    const line_id = device.lines[2]!.id;
    const found = await detail({ line_id, ...month });
    expect(found.total.marks).toEqual(['integrated']);
    expect(found.total.kwh).toBeCloseTo((now - start) / hourMs, 0);
    const { data: source } = await admin.call('/statistics/energy_source', { line_id, ...month });
    expect(source.has_register).toBe(false);
    expect(source.rows[0]).toMatchObject({ first_kwh: null, last_kwh: null, registered_kwh: null });
  });

  it('a register that jumps up and back adds no energy by its jumps, and the figures name both', async () => {
    const line_id = device.lines[1]!.id;
    const found = await detail({ line_id, ...month });
    const plain = await detail({ line_id: device.lines[0]!.id, ...month });
    expect(found.total.marks).toEqual(expect.arrayContaining(['reset', 'spike']));
    expect(found.total.resets).toBe(1);
    expect(found.total.kwh).toBeGreaterThan(plain.total.kwh - 1);
    expect(found.total.kwh).toBeLessThanOrEqual(plain.total.kwh);
    const { data: source } = await admin.call('/statistics/energy_source', { line_id, ...month });
    const marked = (mark: string) =>
      source.rows.flatMap(({ at, marks }: { at: string; marks: string[] }) =>
        marks.includes(mark) ? [at] : [],
      );
    expect(marked('spike')).toEqual(['2026-11-01T16:00:00.000Z']);
    expect(marked('reset')).toEqual(['2026-11-02T16:00:00.000Z']);
  });
});

it('a changed time zone is reported until the days are divided again, and no energy is lost', async () => {
  const asked = { line_id: device.lines[0]!.id, ...days('2026-10-31', '2026-11-04') };
  const before = await detail(asked);
  await world.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('projects')
      .set({ time_zone: 'Europe/Berlin' })
      .where('id', '=', project.id)
      .execute();
    await rebuildDays(trx, project.id);
  });
  expect((await detail(asked)).head).toMatchObject({ time_zone: 'Europe/Berlin', rebuilding: true });
  await rollups.round();
  const after = await detail(asked);
  expect(after.head.rebuilding).toBe(false);
  expect(after.total.kwh).toBeCloseTo(before.total.kwh, 6);
  // In Berlin, seven hours of Shanghai's first day belong to the day before.
  expect(after.buckets[0].kwh).toBeCloseTo(7, 6);
  await world.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('projects')
      .set({ time_zone: 'Asia/Shanghai' })
      .where('id', '=', project.id)
      .execute();
    await rebuildDays(trx, project.id);
  });
  await rollups.round();
  expect((await detail(asked)).buckets.map(({ kwh }: { kwh: number }) => kwh)).toEqual(
    before.buckets.map(({ kwh }: { kwh: number }) => expect.closeTo(kwh, 6)),
  );
});

describe('a tariff', () => {
  const content = (): TariffContent => ({
    currency: 'CNY',
    co2_kg_per_kwh: null,
    holidays: [],
    seasons: [
      {
        name: 'Year',
        from: '01-01',
        to: '12-31',
        prices: { sharp: null, peak: 1, flat: null, valley: 0.25 },
        days: [
          {
            weekdays: [1, 2, 3, 4, 5, 6, 7],
            holidays: true,
            periods: [
              { from: '00:00', to: '08:00', band: 'valley' },
              { from: '08:00', to: '24:00', band: 'peak' },
            ],
          },
        ],
      },
    ],
  });
  type Season = TariffContent['seasons'][number];
  const cases: [string, (season: Season) => void, string, keyof typeof faults, object][] = [
    [
      'an hour without a band',
      ({ days: [day] }) => (day!.periods[1]!.from = '09:00'),
      'content.seasons.0.days.0.periods',
      'tariff.periodGap',
      { from: '08:00', to: '09:00' },
    ],
    [
      'an hour with two bands',
      ({ days: [day] }) => (day!.periods[1]!.from = '07:00'),
      'content.seasons.0.days.0.periods',
      'tariff.periodOverlap',
      { from: '07:00', to: '08:00' },
    ],
    [
      'a weekday without periods',
      ({ days: [day] }) => day!.weekdays.pop(),
      'content.seasons.0.days',
      'tariff.weekdayGap',
      { from: '7' },
    ],
    [
      'a weekday with two sets',
      ({ days: [day], days }) => days.push({ ...day!, weekdays: [1], holidays: false }),
      'content.seasons.0.days',
      'tariff.weekdayOverlap',
      { from: '1' },
    ],
    [
      'days without a season',
      (season) => (season.from = '02-01'),
      'content.seasons',
      'tariff.seasonGap',
      { from: '01-01', to: '01-31' },
    ],
  ];
  it.each(cases)(
    'a tariff with %s is refused with its error, in each language',
    async (_, spoil, field, code, given) => {
      const spoilt = content();
      spoil(spoilt.seasons[0]!);
      for (const language of languages) {
        const sentence = Object.entries(given).reduce(
          (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)),
          faults[code][language],
        );
        const { status, data } = await ask(
          'save_tariff',
          { valid_from: '2026-11-01', content: spoilt },
          language,
        );
        expect([status, data[field]]).toEqual([422, sentence]);
      }
    },
  );
});

it('a correction below zero, or above the maximum of a quarter of an hour, is refused in each language', async () => {
  const span = { from: new Date(start).toISOString(), to: new Date(start + 24 * hourMs).toISOString() };
  const body = { line_id: device.lines[0]!.id, ...span, expected_kwh: 24, kwh: -1, reason: 'Wrong meter' };
  for (const language of languages)
    expect(await admin.call('/statistics/correct', body, { 'accept-language': language })).toMatchObject({
      status: 422,
      data: { kwh: faults['energy.negative'][language] },
    });
  // The lowest correction sets the energy to zero.
  expect((await admin.call('/statistics/correct', { ...body, kwh: 0 })).status).toBe(200);
  const { total } = await detail({ line_id: body.line_id, period: 'day', date: '2026-11-01' });
  expect(total).toMatchObject({ kwh: 0, corrected_kwh: -24, marks: ['corrected'] });
});
