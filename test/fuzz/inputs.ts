import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { type UpTopic, upTopics } from '#contract/telemetry.ts';
import { sampleBody } from '../sample-body.ts';

/** Numbers from a seed, so that an input can be reproduced (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    below: (most: number): number => Math.floor(next() * most),
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
  };
};
type Random = ReturnType<typeof randomOf>;

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
/** JSON.parse makes `__proto__` an own property, as in a real request. */
const parsed = (text: string): unknown => JSON.parse(text);
const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  '',
  [],
  {},
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  5e-324,
  '1e3',
  '0x10',
  'NaN',
  ' 5 ',
  'a\u0000b',
  '\ud800',
  '😀\u202e\u200f',
  `%_\\'"; drop table users; --`,
  'x'.repeat(5000),
  '__proto__',
  '../../etc/passwd',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '2026-02-29T00:00:00Z',
  '99:99',
  parsed('{"toString":0}'),
  parsed('{"valueOf":0,"toString":0}'),
  parsed('{"toString":{"call":1}}'),
  parsed('{"__proto__":{"admin":true}}'),
  parsed('{"constructor":{"prototype":{"x":1}}}'),
  parsed('{"toJSON":"x","length":-1}'),
  parsed('{"then":1}'),
  [null],
  [[]],
  [{}],
  [-1],
  ['a\u0000'],
  Array.from({ length: 300 }, (_, index) => index),
  nested(60),
  { a: nested(20) },
  Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index])),
];

type Place = { holder: Record<string, unknown> | unknown[]; key: string | number };
const placesOf = (value: unknown, places: Place[] = []): Place[] => {
  if (value === null || typeof value !== 'object') return places;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    places.push({ holder: value as Record<string, unknown>, key });
    placesOf((value as Record<string | number, unknown>)[key], places);
  }
  return places;
};
const define = (holder: object, key: string | number, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};
/** A copy with one to three values changed, removed or added. */
const mutated = (random: Random, value: unknown): unknown => {
  const copy = structuredClone(value);
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const places = placesOf(copy);
    if (places.length === 0) return random.pick(hostileValues);
    const { holder, key } = random.pick(places);
    const chance = random.next();
    if (chance < 0.75) define(holder, key, structuredClone(random.pick(hostileValues)));
    else if (Array.isArray(holder)) holder.push(structuredClone(random.pick(hostileValues)));
    else if (chance < 0.85) delete holder[key];
    else
      define(
        holder,
        random.pick(['__proto__', 'constructor', 'toString', 'length', 'extra', '']),
        structuredClone(random.pick(hostileValues)),
      );
  }
  return copy;
};
/** Text that is no longer JSON, or other JSON. */
const broken = (random: Random, text: string): string => {
  const at = random.below(text.length + 1);
  return random.pick([
    () => text.slice(0, at),
    () => `${text.slice(0, at)}\u0000${text.slice(at)}`,
    () => `${text}${text}`,
    () => text.replaceAll('"', "'"),
    () => `[${text}]`,
    () => JSON.stringify(text),
    () => text.replace('{', '{"__proto__":{"a":1},'),
    () => text.replace(/\d+/, '1e999'),
    () => '',
    () => 'null',
  ])();
};

/** Calls that end the caller's own session are left out, because later calls would only be refused. */
const fuzzedCalls: readonly Endpoint[] = endpoints.filter(
  ({ path, stream }) =>
    path !== '/live' && stream !== true && !/logout|end_session|change_password/.test(path),
);
interface FuzzedCall {
  endpoint: Endpoint;
  contentType: string;
  body: string;
}
/** Samples are made once: deriving them from the schemas costs more than a call. */
const samples = new Map<string, Record<string, unknown>>();
const sampleOf = (endpoint: Endpoint, known: Record<string, unknown>) => {
  const key = `${endpoint.method} ${endpoint.path}`;
  const made = samples.get(key) ?? sampleBody(endpoint.body, known);
  samples.set(key, made);
  return made;
};
export const callOf = (random: Random, known: Record<string, unknown>): FuzzedCall => {
  const endpoint = random.pick(fuzzedCalls);
  const fields = Object.keys((endpoint.body as { shape?: object }).shape ?? {});
  const base = { ...sampleOf(endpoint, known) };
  // Optional fields are not in the sample but must be tried too.
  if (fields.length > 0 && random.next() < 0.6) base[random.pick(fields)] = random.pick(hostileValues);
  const body = random.next() < 0.05 ? base : mutated(random, base);
  const text = JSON.stringify(body) ?? 'null';
  const chance = random.next();
  if (chance < 0.9) return { endpoint, contentType: 'application/json', body: text };
  if (chance < 0.95) return { endpoint, contentType: 'application/json', body: broken(random, text) };
  return {
    endpoint,
    contentType: random.pick([
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      '',
    ]),
    body: random.pick([
      text,
      `--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n${text}\r\n--x--`,
      new URLSearchParams(
        Object.entries(base).map(([name, value]) => [name, JSON.stringify(value)]),
      ).toString(),
      'a[b][c]=1&a=2&__proto__[x]=1',
    ]),
  };
};

const now = 1_795_000_000_000;
const reading = {
  v: 1,
  boot: 1,
  seq: 1,
  t: now,
  tq: 0,
  bf: 0,
  dev: { F: 50, T: { c: 30 }, rssi: -70, ber: 0, up: 5 },
  ln: [
    {
      n: 1,
      sw: 1,
      trip: 0,
      lock: 0,
      U: { a: 220 },
      I: { a: 5, n: 1 },
      P: { t: 1100 },
      PF: { t: 1 },
      E: 5,
      IL: 3,
      T: { m: 30 },
    },
  ],
};
const messages: Record<UpTopic, readonly Record<string, unknown>[]> = {
  tele: [reading],
  event: [
    {
      ...{
        v: 1,
        boot: 1,
        seq: 1,
        t: now,
        eid: '1-1',
        kind: 'alarm',
        st: 'raise',
        code: 301,
        lvl: 2,
        n: 1,
        ph: 'a',
      },
      ...{
        val: 50,
        thr: 30,
        unit: 'mA',
        latched: true,
        act: 'none',
        peak: 60,
        dur: 5,
        snap: { U: { a: 220 } },
      },
    },
    { v: 1, boot: 1, seq: 1, t: now, eid: '1-2', kind: 'pos', n: 1, sw: 0, by: 'cmd', code: 301, id: 'x' },
  ],
  presence: [{ v: 1, on: true, boot: 1, t: now, ip: '10.0.0.1', rssi: -70, why: 'connect' }],
  info: [
    {
      ...{
        v: 1,
        type: 3,
        model: 'M',
        fw: '1',
        hw: 'B',
        proto: 1,
        imei: '860000000000001',
        imsi: '4600',
        iccid: '8986',
      },
      ...{ lines: [{ n: 1, in: 40, poles: 1, ctl: true }], caps: ['open', 'close'] },
    },
  ],
  cfg: [
    {
      ...{
        v: 1,
        rev: 2,
        t: now,
        id: 'a',
        st: 'applied',
        why: '',
        p: { '1': { il_a: 30 }, dev: { tele_s: 5 } },
      },
      ...{
        en: { net_ctrl: true },
        timers: [{ i: 1, n: 1, type: 'weekly', days: 31, time: '08:00', action: 'close', en: 1 }],
      },
    },
  ],
  ack: [
    { v: 1, id: 'x', boot: 1, seq: 1, t: now, st: 'done', why: 'busy', n: 1, sw: 1, trip: 0, data: { a: 1 } },
  ],
  ota: [{ v: 1, id: 'x', t: now, from: '1', to: '2', pct: 5, err: null, st: 'downloading' }],
};
interface FuzzedMessage {
  topic: UpTopic;
  payload: string | Buffer;
}
export const messageOf = (random: Random, seq: number, at: number): FuzzedMessage => {
  const topic = random.pick(upTopics);
  const base = { ...random.pick(messages[topic]), seq, ...(random.next() < 0.5 ? { t: at } : {}) };
  const chance = random.next();
  if (chance < 0.9) return { topic, payload: JSON.stringify(mutated(random, base)) };
  if (chance < 0.97) return { topic, payload: broken(random, JSON.stringify(base)) };
  return { topic, payload: Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256))) };
};
