import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type UpTopic, upTopics } from '#contract/telemetry.ts';
import { type Device, newDevice } from './device.ts';
import { decode, flag } from './inbound.ts';
import type { RawMessage } from './ingress.ts';

const receivedAt = Date.parse('2026-11-20T02:00:00Z');
const line = (n: number) => ({
  at: Number.NEGATIVE_INFINITY,
  boot: -1,
  seq: -1,
  ref: {
    lineId: 10 + n,
    deviceId: 1,
    deviceLineId: 10,
    deviceNumber: 'SW4A0001',
    n,
    type: 4 as const,
    projectId: null,
    partId: null,
    ratedCurrent: 63,
    nominalVoltage: 220,
    thresholds: {},
    uploadSeconds: 60,
  },
});
const theDevice = (): Device =>
  newDevice({
    id: 1,
    number: 'SW4A0001',
    type: 4,
    secretHash: Buffer.alloc(32),
    uploadSeconds: 60,
    lines: [line(0), line(1), line(2)],
  });
const rawOf = (topic: UpTopic | 'foreign', payload: unknown, more: Partial<RawMessage> = {}): RawMessage => ({
  deviceNumber: 'SW4A0001',
  topic,
  payload: Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  retain: false,
  dup: false,
  receivedAt,
  ack: () => {},
  ...more,
});
const tele = (ln: unknown, more: object = {}) => ({ v: 1, boot: 1, seq: 1, t: receivedAt, ln, ...more });
const take = (payload: unknown, topic: UpTopic = 'tele', device = theDevice()) =>
  decode(device, rawOf(topic, payload));
const rowsOf = (payload: unknown, device = theDevice()) => {
  const decoded = take(payload, 'tele', device);
  if (typeof decoded === 'string' || decoded.kind !== 'tele')
    throw new Error(`refused: ${JSON.stringify(decoded)}`);
  return decoded.rows;
};

describe('decoder', () => {
  it('keeps nothing that its readers could not walk', () => {
    const nested = (depth: number) =>
      `{"v":1,"rev":1,"p":{"dev":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;
    expect(take(nested(8000), 'cfg')).toBe('not_storable');
    expect(take(nested(20), 'cfg')).toMatchObject({ kind: 'cfg' });
    expect(take(`{"v":1,"rev":1,"p":{},"x":"\\"${'['.repeat(100)}"}`, 'cfg')).toMatchObject({ kind: 'cfg' });
  });

  it('refuses what the database would refuse the group for: U+0000 and halves of surrogate pairs, escaped', () => {
    const units = fc.array(
      fc.constantFrom(0, 0x41, 0x22, 0x5c, 0x75, 0x5b, 0xd83d, 0xde00, 0xd800, 0xdfff, 0x4e2d),
      { maxLength: 8 },
    );
    const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
    fc.assert(
      fc.property(units, fc.boolean(), (codes, escapesAll) => {
        const text = codes.map((code) => String.fromCharCode(code)).join('');
        const written = escapesAll ? `"${codes.map(unit).join('')}"` : JSON.stringify(text);
        const storable = text.isWellFormed() && !text.includes('\0');
        const decoded = take(`{"v":1,"rev":1,"p":{},"x":${written}}`, 'cfg');
        if (storable) expect(decoded).toMatchObject({ kind: 'cfg' });
        else expect(decoded).toBe('not_storable');
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...upTopics), fc.uint8Array({ maxLength: 300 }), (topic, bytes) => {
        decode(theDevice(), rawOf(topic, Buffer.from(bytes)));
      }),
    );
  });

  it('never throws, whatever the JSON, and stores nothing but finite numbers in range', () => {
    const nearly = fc.record(
      {
        v: fc.constantFrom(1, 1, 1, 2, '1'),
        boot: fc.oneof(fc.nat(), fc.jsonValue()),
        seq: fc.oneof(fc.nat(), fc.jsonValue()),
        t: fc.oneof(fc.constant(receivedAt), fc.double(), fc.jsonValue()),
        tq: fc.constantFrom(0, 1, 2),
        bf: fc.constantFrom(0, 1),
        dev: fc.oneof(fc.record({ F: fc.jsonValue() }), fc.jsonValue()),
        kind: fc.constantFrom('alarm', 'pos', '__proto__', 'constructor'),
        p: fc.jsonValue(),
        lines: fc.jsonValue(),
        ln: fc.oneof(
          fc.array(
            fc.record(
              {
                n: fc.oneof(fc.nat(3), fc.jsonValue()),
                U: fc.jsonValue(),
                I: fc.record({ a: fc.double() }),
                IL: fc.double(),
                sw: fc.jsonValue(),
                E: fc.double(),
              },
              { requiredKeys: ['n'] },
            ),
          ),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: ['v', 'boot', 'seq', 'ln'] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...upTopics), fc.oneof(nearly, fc.jsonValue()), (topic, message) => {
        const decoded = take(message, topic);
        if (typeof decoded === 'string' || decoded.kind !== 'tele') return;
        for (const row of decoded.rows) {
          expect(Number.isSafeInteger(row.at)).toBe(true);
          expect(Math.abs(row.receivedAt - row.at)).toBeLessThan(2 ** 31);
          for (const value of row.channels) expect(value === null || Number.isFinite(value)).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['not JSON', '{"v":1', 'not_json'],
    ['NaN', '{"v":1,"boot":1,"seq":1,"ln":[{"n":1,"IL":NaN}]}', 'not_json'],
    ['infinity', '{"v":1,"boot":1,"seq":1,"ln":[{"n":1,"IL":1e999}]}', 'out_of_range'],
    ['an array', [], 'wrong_type'],
    ['another version', tele([], { v: 2 }), 'bad_envelope'],
    ['no sequence', { v: 1, boot: 1, t: receivedAt, ln: [] }, 'bad_envelope'],
    ['a negative sequence', tele([], { seq: -1 }), 'bad_envelope'],
    ['a sequence beyond uint32', tele([], { seq: 4_294_967_296 }), 'bad_envelope'],
    ['lines that are no list', tele({}), 'wrong_type'],
    ['an unknown line', tele([{ n: 9 }]), 'unknown_line'],
    ['the device itself as a line', tele([{ n: 0 }]), 'unknown_line'],
    ['a line twice', tele([{ n: 1 }, { n: 1 }]), 'duplicate_line'],
    ['text for a number', tele([{ n: 1, IL: '11' }]), 'wrong_type'],
    ['a number for a group', tele([{ n: 1, U: 230 }]), 'wrong_type'],
    ['a voltage beyond its range', tele([{ n: 1, U: { a: 501 } }]), 'out_of_range'],
    ['a position that is none', tele([{ n: 1, sw: 2 }]), 'out_of_range'],
    ['a time that is text', tele([], { t: '2026' }), 'wrong_type'],
    ['a time years ahead', tele([], { t: receivedAt + 400 * 86_400_000 }), 'far_future'],
    ['a backlog older than any buffer', tele([], { bf: 1, t: receivedAt - 30 * 86_400_000 }), 'too_old'],
    ['more than 16 KiB', tele([], { x: 'x'.repeat(17_000) }), 'oversized'],
  ])('refuses %s', (_name, payload, reason) => {
    expect(take(payload)).toBe(reason);
  });

  it('refuses what is retained where the table of topics does not say so', () => {
    expect(decode(theDevice(), rawOf('tele', tele([]), { retain: true }))).toBe('retained');
    expect(decode(theDevice(), rawOf('presence', { v: 1, on: true }, { retain: true }))).toMatchObject({
      kind: 'presence',
    });
  });

  it('refuses an info of another device type, or with lines that the type cannot have', () => {
    const info = { v: 1, type: 4, model: 'M', fw: '1', lines: [{ n: 1 }] };
    expect(take(info, 'info')).toMatchObject({ kind: 'info' });
    expect(take({ ...info, type: 3 }, 'info')).toBe('type_mismatch');
    expect(take({ ...info, lines: [{ n: 5 }] }, 'info')).toBe('unknown_line');
  });

  it('puts values in the order of the channel list, spreads those of the device, ignores unknown keys', () => {
    const [row] = rowsOf(
      tele([{ n: 1, sw: 1, U: { a: 230.5, z: 1 }, IL: 11.4, new: 'x', E: 12.5 }], {
        dev: { F: 50.01, rssi: -70 },
      }),
    );
    expect(row).toMatchObject({ lineId: 11, n: 1, position: 1, energy: 12.5, trip: null, flags: 0 });
    expect(row?.channels.filter((value) => value !== null)).toEqual([230.5, 11.4, 50.01]);
  });

  it('tells a sensor fault from what is not measured', () => {
    const [row] = rowsOf(tele([{ n: 1, IL: null, U: { b: null } }]));
    expect(row).toMatchObject({ flags: flag.sensorFault, faults: [1, 13] });
    const [whole] = rowsOf(tele([{ n: 1, U: null }], { dev: { F: null } }));
    expect(whole).toMatchObject({ faults: [0, 1, 2, 18] });
    const [fine] = rowsOf(tele([{ n: 1, F: 50 }], { dev: { F: null } }));
    expect(fine).toMatchObject({ flags: 0, faults: [] });
  });
});

describe('device time', () => {
  const at = (t: number | undefined, device: Device, more: object = {}) =>
    rowsOf(tele([{ n: 1 }], { t, ...more }), device)[0]!;

  it('is never in the future: what follows one wrong time is not late', () => {
    const device = theDevice();
    for (let seq = 1; seq <= 5; seq += 1) rowsOf(tele([{ n: 1 }], { seq }), device);
    const [row] = rowsOf(tele([{ n: 1 }], { seq: 6, t: receivedAt + 9 * 60_000 }), device);
    expect(row).toMatchObject({ at: receivedAt, sentAt: receivedAt + 9 * 60_000, flags: flag.corrected });
  });
  it('is kept within 5 s of skew', () => {
    const row = at(receivedAt - 4_000, theDevice());
    expect(row).toMatchObject({ at: receivedAt - 4_000, flags: 0 });
  });

  it('is corrected by the median of the last live messages beyond that', () => {
    const device = theDevice();
    for (let index = 0; index < 20; index += 1) at(receivedAt - 10_800_000 + index, device);
    const row = at(receivedAt - 10_800_000, device, { bf: 1 });
    expect(row.flags).toBe(flag.corrected | flag.backfilled);
    expect(Math.abs(row.at - receivedAt)).toBeLessThan(50);
    expect(device.skew.alarming).toBe(true);
  });

  it('follows a clock that was set right', () => {
    const device = theDevice();
    for (let index = 0; index < 20; index += 1) at(receivedAt - 70_000, device);
    expect(device.skew.alarming).toBe(true);
    for (let index = 0; index < 11; index += 1) at(receivedAt, device);
    expect(device.skew).toMatchObject({ correction: 0, alarming: false });
  });

  it.each([
    ['is absent', undefined, {}],
    ['is before 2020', Date.UTC(2000, 0, 1), {}],
    ['is an hour ahead', receivedAt + 3_600_000, {}],
    ['is told to be unset', receivedAt - 1000, { tq: 2 }],
  ])('gives way to receive time when it %s', (_name, t, more) => {
    const row = at(t, theDevice(), more);
    expect(row).toMatchObject({ at: receivedAt, flags: flag.unusable });
  });
});
