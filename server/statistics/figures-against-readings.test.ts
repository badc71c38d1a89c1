/**
 * The figures of the statistics compared with SQL over the readings alone: no rollup, no function of the
 * product. Two years in a zone with clock changes, one of them a leap year.
 */
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { statisticsRoutes } from './statistics.routes.ts';

const zone = 'Europe/Berlin';
const quarterMs = 900_000;
const stretches = [
  { from: Date.parse('2027-02-26T00:00+01:00'), to: Date.parse('2027-03-08T00:00+01:00') },
  { from: Date.parse('2027-03-25T00:00+01:00'), to: Date.parse('2027-03-29T00:00+02:00') },
  { from: Date.parse('2028-02-26T00:00+01:00'), to: Date.parse('2028-03-28T13:00+02:00') },
];
const summerRates = { sharp: 0.5, peak: 0.4, flat: 0.3, valley: 0.2 };
const winterRates = { sharp: null, peak: 0.44, flat: 0.33, valley: 0.22 };
const dearer = (rates: Record<string, number | null>) =>
  Object.fromEntries(
    Object.entries(rates).map(([band, price]) => [band, price === null ? null : price + 0.1]),
  );

let world: World;
let admin: Client;
let project: Awaited<ReturnType<typeof makeProject>>;
/** Three phases; its register is reset in between. */
let feeder: { id: number };
let socket: { id: number };
let feederDevice: { id: number };
let part: { id: number };

const wattsOf = (line: number, at: number): number => {
  const hour = Math.floor(at / 3_600_000) % 24;
  const place = at / quarterMs;
  return 200 + 150 * line + (hour > 6 && hour < 18 ? 2500 : 0) + ((place * 7919) % 101) * (9 + line);
};
/**
 * Readings of a line: its register counts its power exactly, in hundredths, and begins again at `resetAt`.
 */
const readingsOf = (line: number, resetAt: number | null) => {
  let hundredths = 10_000 * (line + 1);
  return stretches.flatMap(({ from, to }) =>
    Array.from({ length: (to - from) / quarterMs + 1 }, (_, index) => {
      const at = from + index * quarterMs;
      if (at === resetAt) hundredths = 0;
      if (index > 0) hundredths += Math.round(wattsOf(line, at - quarterMs) / 40);
      return { at, kwh: hundredths / 100, watts: wattsOf(line, at) };
    }),
  );
};
const feederChannels = (watts: number, at: number): (number | null)[] => {
  const place = at / quarterMs;
  const amperes = (phase: number) => (watts / 690) * (1 + ((place * (phase + 3)) % 13) / 20);
  return lineChannels[4].map((name) =>
    name === 'P.t'
      ? watts
      : name === 'I.a'
        ? amperes(1)
        : name === 'I.b'
          ? amperes(2)
          : name === 'I.c'
            ? amperes(3)
            : null,
  );
};
const socketChannels = (watts: number) =>
  lineChannels[3].map((name) => (name === 'P.t' ? watts : name === 'I.a' ? watts / 230 : null));

const store = async (
  lineId: number,
  readings: ReturnType<typeof readingsOf>,
  channels: (watts: number, at: number) => (number | null)[],
) => {
  await world.pool.query(
    `insert into readings (line_id, at, boot, seq, rx_ms, energy, channels)
     select $1, u.at, 1, extract(epoch from u.at)::int / 900, 0, u.kwh, u.channels::real[]
     from unnest($2::timestamptz[], $3::double precision[], $4::text[]) as u (at, kwh, channels)`,
    [
      lineId,
      readings.map(({ at }) => new Date(at)),
      readings.map(({ kwh }) => kwh),
      readings.map(
        ({ watts, at }) =>
          `{${channels(watts, at)
            .map((value) => (value === null ? 'NULL' : value))
            .join(',')}}`,
      ),
    ],
  );
  await world.pool.query(
    `insert into rollup_dirty select distinct $1::int, date_trunc('hour', at, 'UTC') from unnest($2::timestamptz[]) as u (at)
     on conflict do nothing`,
    [lineId, readings.map(({ at }) => new Date(at))],
  );
};

/** Each quarter of an hour of a line from the readings at its two ends, with the band of its local time. */
const reference = `
  create view went as
  with steps as (
    select r.line_id, d.type, r.channels, at, energy, lag(at) over w as before_at, lag(energy) over w as before,
      lag(r.channels) over w as at_start
    from readings r join lines l on l.id = r.line_id join devices d on d.id = l.device_id
    window w as (partition by r.line_id order by at)),
  timed as (
    select line_id, before_at as bucket, before_at at time zone '${zone}' as local,
      case when energy < before then energy else energy - before end as kwh,
      at_start[case type when 4 then ${lineChannels[4].indexOf('P.t') + 1} else ${lineChannels[3].indexOf('P.t') + 1} end] as watts,
      case type when 4 then at_start[${lineChannels[4].indexOf('I.a') + 1}] end as a,
      case type when 4 then at_start[${lineChannels[4].indexOf('I.b') + 1}] end as b,
      case type when 4 then at_start[${lineChannels[4].indexOf('I.c') + 1}] end as c
    from steps where at - before_at = interval '15 minutes'),
  kinds as (
    select *, to_char(local, 'MM-DD') between '03-01' and '10-14' as summer, local >= '2028-03-13' as own,
      extract(isodow from local) > 5 or local::date = '2028-03-08' as free, extract(hour from local) as hour
    from timed),
  banded as (
    select *, case
      when summer and free then case when hour >= 22 or hour < 6 then 'valley' else 'flat' end
      when summer then case when hour >= 23 or hour < 6 then 'valley' when hour in (11, 12) then 'sharp'
        when hour between 17 and 20 then 'peak' else 'flat' end
      when free then case when hour between 10 and 17 then 'flat' else 'valley' end
      else case when hour >= 22 or hour < 6 then 'valley' when hour between 17 and 19 then 'peak' else 'flat' end
      end as band
    from kinds)
  select *, case when local >= '2028-02-28' then case when own then 0.1 else 0 end
      + case when summer then case band when 'sharp' then 0.5 when 'peak' then 0.4 when 'flat' then 0.3 else 0.2 end
        else case band when 'peak' then 0.44 when 'flat' then 0.33 else 0.22 end end end as price,
    case when local >= '2028-02-28' then case when own then 0.35 else 0.4 end end as co2,
    case when local >= '2028-02-28' then case when own then 'CHF' else 'EUR' end end as currency
  from banded`;
const period = (from: string, to: string, band: string) => ({ from, to, band });
const seasons = (rates: (of: Record<string, number | null>) => object) => [
  {
    name: 'Summer',
    from: '03-01',
    to: '10-14',
    prices: rates(summerRates),
    days: [
      {
        weekdays: [1, 2, 3, 4, 5],
        holidays: false,
        periods: [
          period('00:00', '06:00', 'valley'),
          period('06:00', '11:00', 'flat'),
          period('11:00', '13:00', 'sharp'),
          period('13:00', '17:00', 'flat'),
          period('17:00', '21:00', 'peak'),
          period('21:00', '23:00', 'flat'),
          period('23:00', '24:00', 'valley'),
        ],
      },
      {
        weekdays: [6, 7],
        holidays: true,
        periods: [
          period('00:00', '06:00', 'valley'),
          period('06:00', '22:00', 'flat'),
          period('22:00', '24:00', 'valley'),
        ],
      },
    ],
  },
  {
    name: 'Winter',
    from: '10-15',
    to: '02-29',
    prices: rates(winterRates),
    days: [
      {
        weekdays: [1, 2, 3, 4, 5],
        holidays: false,
        periods: [
          period('00:00', '06:00', 'valley'),
          period('06:00', '17:00', 'flat'),
          period('17:00', '20:00', 'peak'),
          period('20:00', '22:00', 'flat'),
          period('22:00', '24:00', 'valley'),
        ],
      },
      {
        weekdays: [6, 7],
        holidays: true,
        periods: [
          period('00:00', '10:00', 'valley'),
          period('10:00', '18:00', 'flat'),
          period('18:00', '24:00', 'valley'),
        ],
      },
    ],
  },
];

beforeAll(async () => {
  world = await createWorld((serve) => statisticsRoutes(serve));
  await world.pool.query('create table readings_all partition of readings default');
  project = await makeProject(world.db, { name: 'Works', time_zone: zone, nominal_voltage: 230 });
  part = await makePart(world.db, project.id, 'Hall');
  const devices = [
    await makeDevice(world.db, { project_id: project.id, part_id: part.id, type: 4, rated_current: 32 }),
    await makeDevice(world.db, { project_id: project.id, type: 3, rated_current: 40 }),
  ] as const;
  await world.db.updateTable('devices').set({ upload_seconds: 900 }).execute();
  [feeder, socket] = [devices[0].lines[0]!, devices[1].lines[0]!];
  feederDevice = devices[0];
  await world.pool.query(reference);
  const rollups = createRollups(world);
  // Each year separately, because minutes are kept only for a while.
  for (const { from, to } of stretches) {
    world.clock.set(to + 420_000);
    const inTime = ({ at }: { at: number }) => at >= from && at <= to;
    const resetAt = Date.parse('2028-03-09T10:30+01:00');
    await store(feeder.id, readingsOf(0, resetAt).filter(inTime), feederChannels);
    await store(socket.id, readingsOf(1, null).filter(inTime), socketChannels);
    await rollups.round();
  }
  await rollups.stop();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const holidays = ['2028-03-08'];
  for (const body of [
    {
      valid_from: '2028-02-28',
      content: { currency: 'EUR', holidays, co2_kg_per_kwh: 0.4, seasons: seasons((of) => of) },
    },
    {
      project_id: project.id,
      valid_from: '2028-03-13',
      content: { currency: 'CHF', holidays, co2_kg_per_kwh: 0.35, seasons: seasons(dearer) },
    },
  ])
    expect((await admin.call('/statistics/save_tariff', body)).status).toBe(200);
});
afterAll(() => world.close());

type Target = 'project' | 'part' | 'device' | 'line';
const targetOf = (target: Target) => ({
  body: {
    project: { project_id: project.id },
    part: { part_id: part.id },
    device: { device_id: feederDevice.id },
    line: { line_id: socket.id },
  }[target],
  lines: { project: [feeder.id, socket.id], part: [feeder.id], device: [feeder.id], line: [socket.id] }[
    target
  ],
});
const rowsOf = async <Row>(text: string, values: unknown[]): Promise<Row[]> =>
  (await world.pool.query(text, values)).rows as Row[];
const hundredth = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
const nearly = (given: readonly (number | null)[], wanted: readonly (number | null)[], what: string) => {
  expect(given.length, what).toBe(wanted.length);
  for (const [index, value] of wanted.entries())
    if (value === null) expect(given[index], `${what} ${index}`).toBeNull();
    else
      expect(Math.abs(given[index]! - value), `${what} ${index}: ${given[index]} for ${value}`).toBeLessThan(
        1e-4,
      );
};

/** First local day, and the local day after the last, of a period that contains a day. */
const spans: Record<string, [period: string, date: string, from: string, to: string]> = {
  'the leap day': ['day', '2028-02-29', '2028-02-29', '2028-03-01'],
  'a holiday': ['day', '2028-03-08', '2028-03-08', '2028-03-09'],
  'a day of 23 hours': ['day', '2028-03-26', '2028-03-26', '2028-03-27'],
  'a week over two seasons': ['week', '2028-03-01', '2028-02-28', '2028-03-06'],
  'a month of 29 days, a part of it without a tariff': ['month', '2028-02-10', '2028-02-01', '2028-03-01'],
  'a running month with two versions': ['month', '2028-03-10', '2028-03-01', '2028-04-01'],
  'a running year': ['year', '2028-03-10', '2028-01-01', '2029-01-01'],
};
/** One case for each project; of the members only those with the most content. */
const cases = Object.entries(spans).flatMap(([name, span]) =>
  (['project', 'part', 'device', 'line'] as const)
    .filter((target) => target === 'project' || name === 'a running month with two versions')
    .map((target) => [target, name, span] as const),
);
const unitOf = (period: string) => ({ day: 'hour', week: 'day', month: 'day', year: 'month' })[period]!;

interface Cost {
  currency: string;
  amount: number;
}
const nearCosts = (costs: readonly Cost[], digits: number) =>
  costs.map(({ currency, amount }) => ({ currency, amount: expect.closeTo(hundredth(amount)!, digits) }));

describe('cost and CO₂ by tariff band, in each currency by itself', () => {
  it.each(cases)(
    'the cost and CO₂ of a %s on %s by tariff band, each currency separately',
    async (target, _, [span, date, from, to]) => {
      const { body, lines } = targetOf(target);
      const { data } = await admin.call('/statistics/electricity', { ...body, period: span, date });
      const wanted = await rowsOf<{ band: string; kwh: number; costs: Cost[]; co2: number }>(
        `select band, sum(kwh) as kwh, sum(co2) as co2,
         json_agg(json_build_object('currency', currency, 'amount', cost) order by currency) as costs
       from (select band, currency, sum(kwh) as kwh, sum(kwh * price)::float8 as cost, sum(kwh * co2)::float8 as co2 from went
         where line_id = any($1) and local >= $2 and local < $3 and price is not null group by 1, 2) each
       group by band order by array_position(array['sharp', 'peak', 'flat', 'valley'], band)`,
        [lines, from, to],
      );
      expect(data.bands.map(({ band }: { band: string }) => band)).toEqual(wanted.map(({ band }) => band));
      for (const [index, row] of wanted.entries()) {
        expect(data.bands[index].kwh).toBeCloseTo(row.kwh, 4);
        expect(data.bands[index].costs).toEqual(nearCosts(row.costs, 2));
      }
      const sum = (of: (row: (typeof wanted)[number]) => number) =>
        wanted.reduce((all, row) => all + of(row), 0);
      const whole = await rowsOf<Cost>(
        `select currency, sum(kwh * price)::float8 as amount from went
       where line_id = any($1) and local >= $2 and local < $3 and price is not null group by 1 order by 1`,
        [lines, from, to],
      );
      expect(data.costs).toEqual(nearCosts(whole, 1));
      if (span === 'year' || date === '2028-03-10')
        expect(data.costs.map(({ currency }: Cost) => currency)).toEqual(['CHF', 'EUR']);
      expect(data.co2_kg).toBeCloseTo(
        sum(({ co2 }) => co2),
        3,
      );
      const [all] = await rowsOf<{ kwh: number; without: number }>(
        `select sum(kwh) as kwh, coalesce(sum(kwh) filter (where price is null), 0) as without from went
       where line_id = any($1) and local >= $2 and local < $3`,
        [lines, from, to],
      );
      expect(data.total.kwh).toBeCloseTo(all!.kwh, 4);
      expect(data.untariffed_kwh).toBeCloseTo(all!.without, 4);
      const buckets = await rowsOf<{ kwh: number; chf: number | null; eur: number | null }>(
        `select sum(kwh) as kwh, sum(kwh * price) filter (where currency = 'CHF')::float8 as chf,
         sum(kwh * price) filter (where currency = 'EUR')::float8 as eur from went
       where line_id = any($1) and local >= $2 and local < $3
       group by date_trunc($4, bucket, '${zone}') order by date_trunc($4, bucket, '${zone}')`,
        [lines, from, to, unitOf(span)],
      );
      const filled = data.buckets.filter(({ kwh }: { kwh: number }) => kwh > 0);
      nearly(
        filled.map(({ kwh }: { kwh: number }) => kwh),
        buckets.map(({ kwh }) => kwh),
        'kWh',
      );
      for (const [index, { chf, eur }] of buckets.entries()) {
        const paid = [
          { currency: 'CHF', amount: chf },
          { currency: 'EUR', amount: eur },
        ].flatMap(({ currency, amount }) => (amount === null ? [] : [{ currency, amount }]));
        expect(filled[index].costs, `${index}`).toEqual(nearCosts(paid, 1));
      }
    },
  );
});

describe('the period before and the year before', () => {
  /** Beginning of the compared range by the calendar; a week's year before begins on a Monday too. */
  const back = {
    day: { previous: '1 day', year_before: '1 year' },
    week: { previous: '7 days', year_before: '364 days' },
    month: { previous: '1 month', year_before: '1 year' },
    year: { previous: '1 year', year_before: '1 year' },
  };
  const plans = Object.entries({
    ...spans,
    'a day of 23 hours, from the day after': ['day', '2028-03-27', '2028-03-27', '2028-03-28'] as const,
    'a running day': ['day', '2028-03-28', '2028-03-28', '2028-03-29'] as const,
    'a running week': ['week', '2028-03-28', '2028-03-27', '2028-04-03'] as const,
  });
  it.each(plans)(
    'compares %s with the period before and with the year before',
    async (_, [span, date, from, to]) => {
      const { body, lines } = targetOf('project');
      const { data } = await admin.call('/statistics/electricity', { ...body, period: span, date });
      for (const which of ['previous', 'year_before'] as const) {
        const interval = back[span as 'day'][which];
        const [whole] = await rowsOf<{ from: Date; to: Date; kwh: number }>(
          `with bounds as (
           select $2::timestamp - $4::interval as since, case when $5 in ('month', 'year')
             then $2::timestamp - $4::interval + ('1 ' || $5)::interval
             else $2::timestamp - $4::interval + ($3::timestamp - $2::timestamp) end as until),
         passed as (
           select since, least(until, case when $3::timestamp > $6::timestamp
             then since + ($6::timestamp - $2::timestamp) else until end) as until from bounds)
         select since at time zone '${zone}' as from, until at time zone '${zone}' as to,
           (select coalesce(sum(kwh * least(1, extract(epoch from until - local)::float8 / 900)), 0) from went
             where line_id = any($1) and local >= since and local < until) as kwh
         from passed`,
          [lines, from, to, interval, span, '2028-03-28 13:07'],
        );
        expect(data[which], which).toMatchObject({
          from: whole!.from.toISOString(),
          to: whole!.to.toISOString(),
          kwh: expect.closeTo(whole!.kwh, 4),
        });
        const beside = await rowsOf<{ kwh: number | null }>(
          `with buckets as (select u.at, u.place, u.at at time zone '${zone}' as local
           from unnest($5::timestamptz[]) with ordinality as u (at, place)),
         past as (select date_trunc($3, bucket, '${zone}') as at, sum(kwh) as kwh from went where line_id = any($1) group by 1)
         select past.kwh from buckets left join past on past.at = (
           select min(p.at) from past p
           where p.at at time zone '${zone}' = case when $3 = 'hour' then buckets.local - $4::interval
             else ($2::timestamp - $4::interval) + (buckets.local - $2::timestamp) end
             and ($6 <> 'month' or date_trunc('month', p.at at time zone '${zone}') = date_trunc('month', $2::timestamp - $4::interval)))
         order by place`,
          [lines, from, unitOf(span), interval, data.buckets.map(({ at }: { at: string }) => at), span],
        );
        const shown = data.buckets.map(
          (bucket: Record<string, number | null>) => bucket[`${which}_kwh`] || null,
        );
        if (unitOf(span) !== 'month')
          nearly(
            shown,
            beside.map(({ kwh }) => kwh),
            which,
          );
        else
          nearly(
            shown.filter((kwh: number | null) => kwh !== null),
            (
              await rowsOf<{ kwh: number }>(
                `select sum(kwh) as kwh from went where line_id = any($1) and local >= '2027-01-01' and local < '2028-01-01'
               group by date_trunc('month', local) order by date_trunc('month', local)`,
                [lines],
              )
            ).map(({ kwh }) => kwh),
            which,
          );
      }
    },
  );
});

describe('load', () => {
  const loads = cases.filter(([, , [span]]) => span !== 'year');
  it.each(loads)(
    'the load of a %s on %s has the right extremes, mean, factors and duration curve',
    async (target, _, [span, date, from, to]) => {
      const { body, lines } = targetOf(target);
      const { data } = await admin.call('/statistics/load', {
        ...body,
        period: span,
        date,
        compare: 'previous',
      });
      const [wanted] = await rowsOf<
        Record<string, number> & { max_at: Date; min_at: Date; duration: number[] }
      >(
        `with load as (select bucket, sum(watts) as w, sum(kwh) as kwh from went
         where line_id = any($1) and local >= $2 and local < $3 group by bucket)
       select max(w) as max, min(w) as min, avg(w) as avg, max(w) - min(w) as difference, sum(kwh) as kwh,
         (select bucket from load order by w desc, bucket limit 1) as max_at,
         (select bucket from load order by w, bucket limit 1) as min_at,
         (select percentile_disc(array(select i / 100.0 from generate_series(0, 100) i)) within group (order by w desc) from load)
           as duration,
         (select sum(coalesce(p.nominal_voltage, 220) * l.rated_current * case when d.type = 4 then 3 else 1 end)
           from lines l join devices d on d.id = l.device_id join projects p on p.id = d.project_id where l.id = any($1)) as rated
       from load`,
        [lines, from, to],
      );
      const of = wanted!;
      expect(data.figures).toMatchObject({
        max_w: expect.closeTo(of['max']!, 0),
        max_at: of.max_at.toISOString(),
        min_w: expect.closeTo(of['min']!, 0),
        min_at: of.min_at.toISOString(),
        avg_w: expect.closeTo(of['avg']!, 0),
        load_factor: expect.closeTo(of['avg']! / of['max']!, 3),
        difference_w: expect.closeTo(of['difference']!, 0),
        difference_rate: expect.closeTo(of['difference']! / of['max']!, 3),
        utilisation: expect.closeTo(of['max']! / of['rated']!, 3),
        energy_kwh: expect.closeTo(of['kwh']!, 4),
      });
      expect(data.figures.duration).toEqual(of.duration.map((watts) => expect.closeTo(watts, 0)));
    },
  );

  it('the load of each phase and the unbalance of the phases equal those of the readings', async () => {
    for (const [span, date, from, to] of Object.values(spans).filter(([each]) => each !== 'year')) {
      const { data } = await admin.call('/statistics/load', { line_id: feeder.id, period: span, date });
      const [wanted] = await rowsOf<Record<string, number> & { worst_at: Date }>(
        `with uneven as (select *, greatest(a, b, c) / ((a + b + c) / 3) - 1 as off from went
           where line_id = $1 and local >= $2 and local < $3)
         select avg(a) as avg_a, avg(b) as avg_b, avg(c) as avg_c, max(a) as max_a, max(b) as max_b, max(c) as max_c,
           avg(off) filter (where (a + b + c) / 3 >= 3.2) as mean, max(off) filter (where (a + b + c) / 3 >= 3.2) as worst,
           (select bucket from uneven where (a + b + c) / 3 >= 3.2 order by off desc, bucket limit 1) as worst_at
         from uneven`,
        [feeder.id, from, to],
      );
      const of = wanted!;
      expect(data.phases.list).toEqual(
        (['a', 'b', 'c'] as const).map((phase) => ({
          phase,
          avg_a: expect.closeTo(of[`avg_${phase}`]!, 2),
          max_a: expect.closeTo(of[`max_${phase}`]!, 2),
        })),
      );
      expect(data.phases).toMatchObject({
        rated_a: 32,
        utilisation: expect.closeTo(Math.max(of['max_a']!, of['max_b']!, of['max_c']!) / 32, 3),
        unbalance_avg: expect.closeTo(of['mean']!, 3),
        unbalance_max: expect.closeTo(of['worst']!, 3),
      });
      const worst = await rowsOf<{ off: number }>(
        `select greatest(a, b, c) / ((a + b + c) / 3) - 1 as off from went where line_id = $1 and bucket = $2`,
        [feeder.id, data.phases.unbalance_at],
      );
      expect(worst[0]!.off).toBeCloseTo(of['worst']!, 3);
    }
  });
});

describe('the sheets', () => {
  const sheet = async (path: string, body: object) => {
    const { response } = await admin.call(`/statistics/${path}`, body, { 'accept-language': 'en-US' });
    const [header, ...rows] = (await readXlsx(response.rawPayload)).sheets[0]!.rows;
    return {
      rows,
      column: (name: string): (number | null)[] => {
        const at = header!.indexOf(name);
        expect(at, `${name} in ${header!.join(', ')}`).toBeGreaterThanOrEqual(0);
        return rows.map((row) => (typeof row[at] === 'number' ? row[at] : null));
      },
    };
  };
  const march = { period: 'month', date: '2028-03-10' };

  it('the electricity sheet has each day with its bands and its cost', async () => {
    const { body, lines } = targetOf('project');
    const { column } = await sheet('electricity_export', { ...body, ...march });
    const days = await rowsOf<Record<string, number>>(
      `select sum(kwh) as kwh, sum(kwh * price) filter (where currency = 'EUR')::float8 as eur,
         sum(kwh * price) filter (where currency = 'CHF')::float8 as chf, ${[
           'sharp',
           'peak',
           'flat',
           'valley',
         ]
           .map((band) => `coalesce(sum(kwh) filter (where band = '${band}'), 0) as ${band}`)
           .join(', ')}
       from went where line_id = any($1) and local >= '2028-03-01' and local < '2028-04-01'
       group by rollup (local::date) order by local::date nulls last`,
      [lines],
    );
    const shown = (name: string) => [...column(name).slice(0, 28), column(name).at(-1)!];
    for (const [name, key] of [
      ['Energy (kWh)', 'kwh'],
      ['Critical peak (kWh)', 'sharp'],
      ['Peak (kWh)', 'peak'],
      ['Shoulder (kWh)', 'flat'],
      ['Off-peak (kWh)', 'valley'],
    ] as const)
      nearly(
        shown(name),
        days.map((day) => Math.round(day[key]! * 1e4) / 1e4),
        name,
      );
    for (const currency of ['eur', 'chf'])
      expect(shown(`Cost (${currency.toUpperCase()})`), currency).toEqual(
        days.map((day) => {
          const cost = day[currency] ?? null;
          return cost === null ? null : expect.closeTo(cost, 1);
        }),
      );
  });

  it('the energy sheet has the parts of a project, and the drill-down has each day of a line', async () => {
    const members = await sheet('energy_export', {
      project_id: project.id,
      ...march,
      split: 'line',
      rows: 'members',
    });
    const wanted = await rowsOf<{ kwh: number }>(
      `select sum(kwh) as kwh from went where local >= '2028-03-01' and local < '2028-04-01' group by line_id order by kwh desc`,
      [],
    );
    const kwh = wanted.map((row) => row.kwh);
    nearly(members.column('Energy (kWh)'), [...kwh, kwh[0]! + kwh[1]!], 'members');
    const line = await sheet('energy_export', { line_id: feeder.id, ...march });
    const days = await rowsOf<{ kwh: number }>(
      `select sum(kwh) as kwh from went where line_id = $1 and local >= '2028-03-01' and local < '2028-04-01'
       group by local::date order by local::date`,
      [feeder.id],
    );
    nearly(
      line.column('Energy (kWh)').slice(0, 28),
      days.map((row) => row.kwh),
      'days',
    );
  });

  it('the load sheet has each quarter of an hour of a day of 23 hours', async () => {
    const { column } = await sheet('load_export', {
      project_id: project.id,
      period: 'day',
      date: '2028-03-26',
    });
    const load = await rowsOf<{ w: number }>(
      `select sum(watts) as w from went where local >= '2028-03-26' and local < '2028-03-27' group by bucket order by bucket`,
      [],
    );
    expect(load).toHaveLength(92);
    expect(column('Mean load (W)')).toEqual(load.map(({ w }) => expect.closeTo(w, 0)));
  });
});

it('a figure is traced to the registers at both ends of each of its days, across a reset', async () => {
  const { data } = await admin.call('/statistics/energy_source', {
    line_id: feeder.id,
    period: 'month',
    date: '2028-03-10',
  });
  const days = await rowsOf<{ first: number; last: number; kwh: number }>(
    `select r.first, r.last, w.kwh from (
       select (at at time zone '${zone}')::date as day, (array_agg(energy order by at))[1] as first,
         (array_agg(energy order by at desc))[1] as last from readings where line_id = $1 group by 1) r
     join (select local::date as day, sum(kwh) as kwh from went where line_id = $1 group by 1) w on w.day = r.day
     where r.day >= '2028-03-01' order by r.day`,
    [feeder.id],
  );
  const shown = data.rows.slice(0, days.length);
  nearly(
    shown.map((row: { first_kwh: number }) => row.first_kwh),
    days.map(({ first }) => first),
    'first',
  );
  nearly(
    shown.map((row: { last_kwh: number }) => row.last_kwh),
    days.map(({ last }) => last),
    'last',
  );
  nearly(
    shown.map((row: { kwh: number }) => row.kwh),
    days.map(({ kwh }) => kwh),
    'kWh',
  );
  expect(data.total.resets).toBe(1);
  expect(data.rows[8]).toMatchObject({ resets: 1, marks: ['reset'] });
});
