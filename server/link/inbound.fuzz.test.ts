import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type UpTopic, upTopics } from '#contract/telemetry.ts';
import { makeDevice } from '#test/factories.ts';
import { type Device, newDevice, newLine } from './device.ts';
import { decode } from './inbound.ts';
import { type LinkWorld, linkWorld, publish, tele } from './link.world.ts';

/** Numbers from 0 to 1, identical in every run. */
const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

const now = Date.parse('2026-11-20T02:00:00Z');
const alarm = { eid: 'e', kind: 'alarm', st: 'raise', code: 301, lvl: 2, n: 1, ph: 'a', val: 40, thr: 30 };
/** One valid message of each kind; the fuzz test changes their fields. */
const good: Record<string, [UpTopic, object]> = {
  tele: ['tele', { ...tele(1, now), dev: { F: 50, T: { c: 30 }, rssi: -70 }, tq: 0, bf: 0 }],
  alarm: ['event', { v: 1, boot: 1, seq: 1, t: now, ...alarm, unit: 'mA', snap: { IL: 40 }, dur: 3 }],
  position: [
    'event',
    { v: 1, boot: 1, seq: 1, t: now, eid: 'e', kind: 'pos', n: 1, sw: 0, by: 'trip', code: 301, id: 'x' },
  ],
  ack: ['ack', { v: 1, boot: 1, seq: 1, id: 'x', st: 'done', n: 1, sw: 0, trip: 0, data: { a: 1 } }],
  presence: ['presence', { v: 1, on: true, boot: 1, t: now, ip: '10.1.1.1', rssi: -70, why: 'connect' }],
  info: [
    'info',
    { v: 1, type: 3, model: 'M', fw: '1', lines: [{ n: 1, in: 63, poles: 2, ctl: true }], caps: ['open'] },
  ],
  cfg: [
    'cfg',
    {
      v: 1,
      rev: 1,
      id: 'x',
      st: 'applied',
      p: { '1': { il_a: 30 }, dev: { tele_s: 60 } },
      en: { led: true },
    },
  ],
  ota: ['ota', { v: 1, id: 'x', from: '1', to: '2', pct: 3, err: null, st: 'updated' }],
};
const hostile = [
  ...['{"toString":0}', '{"toString":{"a":1},"valueOf":7}', '{"valueOf":null}', '{"length":1e9}'],
  ...['{"__proto__":{"v":1,"n":1}}', '{"constructor":{"prototype":1}}', '{"hasOwnProperty":1}', '{"then":1}'],
  ...['null', 'true', 'false', '""', '"\\u0000"', '"\\ud800"', '"__proto__"', '"constructor"', '"NaN"'],
  ...['-1', '0', '1', '65', '1e308', '-1e308', '1e999', '4294967296', '9007199254740993', '0.5', '-0'],
  ...['[]', '[[]]', '[null]', '[{}]', '{}', '{"a":null}', '[{"n":1},{"n":1}]', '"x"'],
  ...[
    `${'['.repeat(31)}${']'.repeat(31)}`,
    `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`,
    `"${'x'.repeat(300)}"`,
  ],
];
const names = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'then',
  'n',
  'kind',
  'ln',
];

/** The text of a message with one to three of its values, at any depth, replaced or added. */
const changed = (message: unknown, random: () => number): string => {
  const pick = <Of>(from: readonly Of[]): Of => from[Math.floor(random() * from.length)]!;
  const write = (value: unknown, depth: number): string => {
    if (random() < 0.12) return pick(hostile);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((entry) => write(entry, depth + 1)).join(',')}]`;
    const fields = Object.entries(value)
      .filter(() => random() > 0.05)
      .map(([name, inner]) => `${JSON.stringify(name)}:${write(inner, depth + 1)}`);
    if (random() < 0.15) fields.push(`${JSON.stringify(pick(names))}:${pick(hostile)}`);
    return `{${fields.join(',')}}`;
  };
  return write(message, 0);
};

const stateOf = (n: number) =>
  newLine({
    ...{ lineId: 10 + n, deviceId: 1, deviceLineId: 10, deviceNumber: 'SW4A0001', n, type: 3 },
    ...{
      projectId: null,
      partId: null,
      ratedCurrent: 63,
      nominalVoltage: 220,
      thresholds: {},
      uploadSeconds: 60,
    },
  });
const fuzzedDevice = (): Device =>
  newDevice({
    ...{ id: 1, number: 'SW4A0001', type: 3, secretHash: Buffer.alloc(32), uploadSeconds: 60 },
    lines: [stateOf(0), stateOf(1)],
  });

it('decodes or refuses every message of every kind, with any fields', () => {
  const random = randomFrom(7);
  const device = fuzzedDevice();
  const outcomes = new Map<string, number>();
  for (let count = 0; count < 100_000; count += 1) {
    const kinds = Object.keys(good);
    const [topic, message] = good[kinds[count % kinds.length]!]!;
    const asTopic = random() < 0.05 ? upTopics[Math.floor(random() * upTopics.length)]! : topic;
    const decoded = decode(device, {
      deviceNumber: device.number,
      topic: asTopic,
      payload: Buffer.from(changed(message, random)),
      ...{ retain: false, dup: false, receivedAt: now + count * 10, ack: () => {} },
    });
    const outcome = typeof decoded === 'string' ? decoded : decoded.kind;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (typeof decoded === 'string' || decoded.kind !== 'tele') continue;
    for (const row of decoded.rows) {
      expect(Number.isSafeInteger(row.at)).toBe(true);
      for (const value of row.channels)
        if (value !== null && !Number.isFinite(value)) expect(value).toBeNull();
    }
  }
  // Enough messages of every kind passed, so that later checks were tested too.
  for (const kind of ['tele', 'event', 'ack', 'presence', 'info', 'cfg', 'ota'])
    expect(outcomes.get(kind)).toBeGreaterThan(500);
});

describe('through the broker', () => {
  let world: LinkWorld;
  beforeAll(async () => {
    world = await linkWorld();
  });
  afterAll(() => world.close());

  it('hostile messages are all acknowledged, and every acknowledged reading of an honest device is stored', async () => {
    const hostileOne = await makeDevice(world.db);
    const honestOne = await makeDevice(world.db);
    const attacker = await world.device(hostileOne);
    const honest = await world.device(honestOne);
    const random = randomFrom(11);
    const kinds = Object.values(good);
    let sent = 0;
    for (let round = 1; round <= 40; round += 1) {
      const messages = Array.from({ length: 75 }, (_, index) => {
        const [topic, message] = kinds[(round + index) % kinds.length]!;
        sent += 1;
        return publish(attacker, hostileOne.number, topic, changed({ ...message, seq: sent }, random));
      });
      await Promise.all([
        ...messages,
        publish(honest, honestOne.number, 'tele', tele(round, world.clock.now())),
      ]);
    }
    await publish(attacker, hostileOne.number, 'event', '{"v":1,"boot":1,"seq":1,"kind":{"toString":0}}');
    expect(attacker.connected).toBe(true);
    const { rows } = await world.pool.query('select seq from readings where line_id = $1 order by seq', [
      honestOne.lines[0]!.id,
    ]);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });
});
