import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type UpTopic, upTopics } from '#contract/telemetry.ts';
import { flag } from '#server/core/reading-flags.ts';
import { type Device, newDevice, newLine } from './device.ts';
import { decode } from './inbound.ts';
import type { RawMessage } from './ingress.ts';
import { Skew } from './skew.ts';

const receivedAt = Date.parse('2026-11-20T02:00:00Z');
const line = (n: number) =>
  newLine({
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
  it('refuses data that is nested too deeply for its readers', () => {
    const nested = (depth: number) =>
      `{"v":1,"rev":1,"p":{"dev":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;
    expect(take(nested(8000), 'cfg')).toBe('not_storable');
    expect(take(nested(20), 'cfg')).toMatchObject({ kind: 'cfg' });
    expect(take(`{"v":1,"rev":1,"p":{},"x":"\\"${'['.repeat(100)}"}`, 'cfg')).toMatchObject({ kind: 'cfg' });
  });

  it('refuses text for which the database would refuse a whole group: escaped U+0000 and half surrogate pairs', () => {
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

  it('the decoder never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...upTopics), fc.uint8Array({ maxLength: 300 }), (topic, bytes) => {
        decode(theDevice(), rawOf(topic, Buffer.from(bytes)));
      }),
    );
  });

  it('the decoder never throws for any JSON, and stores nothing but finite numbers in range', () => {
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
    ['an array', [], 'wrong_type'],
    ['another version', tele([], { v: 2 }), 'bad_envelope'],
    ['no sequence', { v: 1, boot: 1, t: receivedAt, ln: [] }, 'bad_envelope'],
    ['a negative sequence', tele([], { seq: -1 }), 'bad_envelope'],
    ['a sequence beyond uint32', tele([], { seq: 4_294_967_296 }), 'bad_envelope'],
    ['lines that are no list', tele({}), 'wrong_type'],
    ['an unknown line', tele([{ n: 9 }]), 'unknown_line'],
    ['the device itself as a line', tele([{ n: 0 }]), 'unknown_line'],
    ['a name twice', '{"v":1,"boot":1,"seq":1,"ln":[{"n":1,"trip":301,"trip":0}]}', 'duplicate_name'],
    [
      'an escaped name twice',
      '{"v":1,"boot":1,"seq":1,"ln":[{"n":1,"trip":301,"tr\\u0069p":0}]}',
      'duplicate_name',
    ],
    [
      'readings nested beyond what can be walked',
      `{"v":1,"x":${'['.repeat(4200)}${']'.repeat(4200)}}`,
      'not_storable',
    ],
    ['a message whose only line is no object', tele([null]), 'wrong_type'],
    ['a backlog older than any buffer', tele([], { bf: 1, t: receivedAt - 30 * 86_400_000 }), 'too_old'],
    ['more than 16 KiB', tele([], { x: 'x'.repeat(17_000) }), 'oversized'],
  ])('refuses a message of a device: %s', (_name, payload, reason) => {
    expect(take(payload)).toBe(reason);
  });

  it('refuses retained messages unless the table of topics allows them', () => {
    expect(decode(theDevice(), rawOf('ack', {}, { retain: true }))).toBe('retained');
    expect(decode(theDevice(), rawOf('presence', { v: 1, on: true }, { retain: true }))).toMatchObject({
      kind: 'presence',
    });
  });

  it('takes retained readings as a backlog, which proves nothing, and notes that', () => {
    const device = theDevice();
    const sent = tele([{ n: 1, sw: 1, U: { a: 230 } }], { t: receivedAt - 3_600_000, tq: 0 });
    expect(decode(device, rawOf('tele', sent, { retain: true }))).toMatchObject({
      kind: 'tele',
      noted: 'retained',
      clock: null,
      rssi: null,
      rows: [{ late: true, at: receivedAt - 3_600_000 }],
    });
    expect(device.skew.estimate).toBe(theDevice().skew.estimate);
    expect(decode(device, rawOf('tele', tele([{ n: 1, sw: 1 }], { tq: 2 }), { retain: true }))).toMatchObject(
      { rows: [{ late: true }] },
    );
    expect(decode(device, rawOf('event', {}, { retain: true }))).toBe('retained');
  });

  it('takes an alarm of an unknown line as an alarm of the device, and notes that', () => {
    const device = theDevice();
    const alarm = { v: 1, boot: 1, seq: 9, eid: '1-9', kind: 'alarm', st: 'raise', code: 301, lvl: 2, n: 9 };
    expect(decode(device, rawOf('event', alarm))).toMatchObject({
      kind: 'event',
      noted: 'unknown_line',
      event: { line: { lineId: device.lines[0]!.ref.lineId } },
    });
    expect(decode(device, rawOf('event', { ...alarm, n: 1 }))).toMatchObject({ noted: null });
    const move = { v: 1, boot: 1, seq: 9, eid: '1-9', kind: 'pos', n: 9, sw: 0, by: 'manual' };
    expect(decode(device, rawOf('event', move))).toBe('unknown_line');
  });

  it('refuses an info of another device type, or with lines that the type cannot have', () => {
    const info = { v: 1, type: 4, model: 'M', fw: '1', lines: [{ n: 1 }] };
    expect(take(info, 'info')).toMatchObject({ kind: 'info' });
    expect(take({ ...info, type: 3 }, 'info')).toBe('type_mismatch');
    expect(take({ ...info, lines: [{ n: 5 }] }, 'info')).toBe('unknown_line');
  });

  it('puts values in the order of the channel list, copies those of the device to its lines, ignores unknown keys', () => {
    const [row] = rowsOf(
      tele([{ n: 1, sw: 1, U: { a: 230.5, z: 1 }, IL: 11.4, new: 'x', E: 12.5 }], {
        dev: { F: 50.01, rssi: -70 },
      }),
    );
    expect(row).toMatchObject({ lineId: 11, n: 1, position: 1, energy: 12.5, trip: null, flags: 0 });
    expect(row?.channels.filter((value) => value !== null)).toEqual([230.5, 11.4, 50.01]);
  });

  it('distinguishes a sensor fault from a quantity that is not measured', () => {
    const [row] = rowsOf(tele([{ n: 1, IL: null, U: { b: null } }]));
    expect(row).toMatchObject({ flags: flag.sensorFault, faults: [1, 13] });
    const [whole] = rowsOf(tele([{ n: 1, U: null }], { dev: { F: null } }));
    expect(whole).toMatchObject({ faults: [0, 1, 2, 18] });
    const [fine] = rowsOf(tele([{ n: 1, F: 50 }], { dev: { F: null } }));
    expect(fine).toMatchObject({ flags: 0, faults: [] });
  });
});

describe('impossible values', () => {
  const valuesOf = (line: object) => {
    const [row] = rowsOf(tele([{ n: 1, sw: 1, trip: 0, U: { b: 230 }, ...line }]));
    expect(row).toMatchObject({ position: 1, trip: 0 });
    expect(row!.channels[1]).toBe(230);
    return row!;
  };

  it.each([
    ['text', { IL: '11' }, [13]],
    ['an object', { IL: { a: 1 } }, [13]],
    ['a number for a group', { T: 20 }, [14, 15, 16, 17]],
    ['a list for a group', { T: [] }, [14, 15, 16, 17]],
    ['more than 3 times the span', { IL: 3601 }, [13]],
    ['1e308', { I: { a: 1e308 } }, [3]],
    ['the marker of an open thermistor', { T: { a: -50 } }, [14]],
    ['the end of an int16 in hundredths', { T: { c: 327.67 } }, [16]],
    ['a negative current', { I: { a: -12 } }, [3]],
  ])('an impossible value marks only its own sensor as faulty: %s', (_name, line, faults) => {
    const row = valuesOf(line);
    expect(row).toMatchObject({ faults, flags: flag.sensorFault });
    for (const index of faults) expect(row.channels[index]).toBeNull();
  });

  it.each([
    ['160 °C', { T: { a: 160 } }, 14, 160],
    ['3000 mA', { IL: 3000 }, 13, 3000],
    ['510 V', { U: { a: 510, b: 230 } }, 0, 510],
    ['−45 °C', { T: { b: -45 } }, 15, -45],
  ])(
    '%s beyond the measuring range is stored unchanged and flagged as the end of the range',
    (_name, line, index, value) => {
      const row = valuesOf(line);
      expect(row).toMatchObject({ faults: [], flags: flag.saturated });
      expect(row.channels[index]).toBe(value);
    },
  );

  it('an impossible position, trip, lock or register becomes unknown, and that is reported', () => {
    const [row] = rowsOf(tele([{ n: 1, sw: 2, trip: -1, lock: {}, E: 1e7, IL: 4 }]));
    expect(row).toMatchObject({
      ...{ position: null, trip: null, lock: null, energy: null, carries: 7, flags: flag.sensorFault },
    });
    expect(row!.channels[13]).toBe(4);
    expect(rowsOf(tele([{ n: 1, IL: 4 }]))[0]).toMatchObject({ carries: 0, flags: 0 });
  });

  it('an impossible value does not affect other lines: unknown lines, duplicates and wrong types are left out and noted', () => {
    const decoded = take(tele([{ n: 9 }, 'x', { n: 1, IL: 4 }, { n: 1, IL: 5 }, { n: 2, trip: 301 }]));
    expect(decoded).toMatchObject({ noted: 'duplicate_line', rows: [{ n: 1 }, { n: 2, trip: 301 }] });
  });

  it('an alarm with impossible values is taken without these values', () => {
    const alarm = { ...tele([]), eid: '1', kind: 'alarm', st: 'raise', code: 301, lvl: 2, n: 1 };
    const decoded = take({ ...alarm, val: 1e308, thr: 'x', ph: 'q', snap: 1, latched: null }, 'event');
    if (typeof decoded === 'string' || decoded.kind !== 'event') throw new Error(`refused: ${decoded}`);
    expect(decoded.event.message).toEqual(alarm);
  });

  it('a configuration with `id: null` keeps the rest of its content', () => {
    expect(take({ v: 1, rev: 1, id: null, p: {} }, 'cfg')).toEqual({
      kind: 'cfg',
      message: { v: 1, rev: 1, p: {} },
    });
  });
});

describe('device time', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  let seq = 0;
  /** A message sent `since` ms after the device connected, with the device time `t`. */
  const at = (
    since: number,
    t: unknown,
    device: Device,
    more: object = {},
    raw: Partial<RawMessage> = {},
  ) => {
    seq += 1;
    const decoded = decode(
      device,
      rawOf('tele', tele([{ n: 1 }], { t, seq, ...more }), { receivedAt: receivedAt + since, ...raw }),
    );
    if (typeof decoded === 'string' || decoded.kind !== 'tele') throw new Error(`refused: ${decoded}`);
    return { ...decoded.rows[0]!, clock: decoded.clock };
  };
  const connectedDevice = () => {
    const device = theDevice();
    device.skew.connected(receivedAt);
    return device;
  };

  it('device time is never in the future: one wrong time does not make later messages late', () => {
    const device = connectedDevice();
    for (let index = 1; index <= 5; index += 1) at(index * minute, receivedAt + index * minute, device);
    const row = at(6 * minute, receivedAt + 15 * minute, device);
    expect(row).toMatchObject({ at: receivedAt + 6 * minute, flags: flag.corrected });
  });

  it('device time is kept within 5 s of skew', () => {
    expect(at(0, receivedAt - 4_000, theDevice())).toMatchObject({ at: receivedAt - 4_000, flags: 0 });
  });

  it('device time is corrected by the least delay of the last live messages', () => {
    const device = connectedDevice();
    for (let index = 1; index <= 20; index += 1)
      at(index * minute, receivedAt + index * minute - 3 * hour - (index % 3) * 400, device);
    const row = at(21 * minute, receivedAt - 3 * hour, device, { bf: 1 });
    expect(row).toMatchObject({ at: receivedAt, flags: flag.corrected | flag.backfilled });
  });

  it('device time of messages that were delayed together is right: the delay does not count as clock skew', () => {
    const device = connectedDevice();
    for (let index = 0; index < 120; index += 1) {
      const row = at(40_000 + index * 200, receivedAt - 600_000 + index * 5_000, device);
      expect(row).toMatchObject({ at: receivedAt - 600_000 + index * 5_000, flags: 0, clock: null });
    }
  });

  it('the clock skew is not learnt from the first 30 s of a connection, nor from repeated or backfilled messages', () => {
    const device = connectedDevice();
    for (let index = 0; index < 9; index += 1) at(index * 3_000, receivedAt - hour + index * 3_000, device);
    for (let index = 0; index < 9; index += 1)
      at(minute + index, receivedAt - hour + minute, device, {}, { dup: true });
    for (let index = 0; index < 9; index += 1) at(minute + index, receivedAt - hour, device, { seq: 9 });
    for (let index = 0; index < 9; index += 1) at(minute + index, receivedAt - hour, device, { bf: 1 });
    expect(device.skew.correction).toBe(0);
  });

  it.each([
    ['2021', Date.UTC(2021, 0, 1)],
    ['2040', Date.UTC(2040, 0, 1)],
    ['1970', 0],
    ['a year ahead', receivedAt + 400 * 24 * hour],
  ])('device time of %s counts as the time of receipt, and raises 803 after 5 minutes', (_name, begin) => {
    const device = connectedDevice();
    const findings: object[] = [];
    for (let index = 1; index <= 9; index += 1) {
      const row = at(index * minute, begin + index * minute, device);
      expect(Math.abs(row.at - row.receivedAt)).toBeLessThan(1_000);
      if (row.clock) findings.push(row.clock);
    }
    expect(findings).toEqual([{ wrong: true, skew: receivedAt - begin }]);
    // The clock is corrected: the next time counts at once, and the alarm ends after a minute.
    for (let index = 10; index <= 14; index += 1) {
      const row = at(index * minute, receivedAt + index * minute - 1_000, device);
      expect(row.at).toBe(receivedAt + index * minute - 1_000);
      if (row.clock) findings.push(row.clock);
    }
    expect(findings.slice(1)).toEqual([{ wrong: false, skew: 0 }]);
  });

  it('device time is never later than its receipt, so that a fast clock makes no value look newer', () => {
    const device = connectedDevice();
    for (let index = 0; index < 6; index += 1) {
      const since = 40_000 + index * 5_000;
      expect(at(since, receivedAt + since + 4_000, device)).toMatchObject({
        at: receivedAt + since,
        sentAt: receivedAt + since + 4_000,
        flags: 0,
      });
    }
  });
  it('an overtaken message keeps its own time once a newer message shows that the clock is ahead', () => {
    const device = connectedDevice();
    at(5_000, receivedAt + 5_000 + 5 * minute, device, { seq: 8_001 });
    expect(at(5_000, receivedAt + 5 * minute, device, { seq: 8_000 })).toMatchObject({ at: receivedAt });
    const farAhead = connectedDevice();
    at(5_000, receivedAt + 5_000 + hour, farAhead, { seq: 8_001 });
    expect(at(5_000, receivedAt + hour, farAhead, { seq: 8_000 })).toMatchObject({ at: receivedAt });
  });
  it('a clock that is ahead corrects command expiries from the first message, a clock that is behind only after proof', () => {
    const ahead = connectedDevice();
    at(1_000, receivedAt + 1_000 + 5 * minute, ahead);
    expect(ahead.skew).toMatchObject({ correction: 0, estimate: -5 * minute });
    at(2_000, receivedAt + 5 * minute, ahead);
    expect(ahead.skew.estimate).toBe(-5 * minute);
    const late = connectedDevice();
    at(1_000, receivedAt - 75_000, late);
    expect(late.skew).toMatchObject({ correction: 0, estimate: 0 });
    for (let index = 1; index <= 3; index += 1) at(index * minute, receivedAt + index * minute - hour, late);
    expect(late.skew).toMatchObject({ correction: hour, estimate: hour });
  });

  it('the correction of command expiries for a clock that is ahead survives a reconnect and a restart of the server', () => {
    const device = connectedDevice();
    at(1_000, receivedAt + 1_000 + 5 * minute, device);
    device.skew.connected(receivedAt + 3_000);
    expect(device.skew.estimate).toBe(-5 * minute);
    at(4_000, receivedAt + 4_000, device);
    expect(device.skew.estimate).toBe(0);
    const restarted = new Skew(0, receivedAt, -5 * minute);
    restarted.connected(receivedAt + 1_000);
    expect(restarted).toMatchObject({ correction: 0, estimate: -5 * minute });
  });

  it('the time of receipt counts after a clock was set back within a boot, until the new skew is known', () => {
    const device = connectedDevice();
    for (let index = 1; index <= 25; index += 1) at(index * minute, receivedAt + index * minute, device);
    for (let index = 26; index <= 27; index += 1)
      expect(at(index * minute, receivedAt + index * minute - hour, device)).toMatchObject({
        at: receivedAt + index * minute,
        flags: flag.unusable,
      });
    expect(device.skew.estimate).toBe(hour); // no command is obeyed an hour late meanwhile
    at(28 * minute, receivedAt + 28 * minute - hour, device);
    expect(at(29 * minute, receivedAt + 29 * minute - hour, device)).toMatchObject({
      at: receivedAt + 29 * minute,
      flags: flag.corrected,
    });
  });

  it.each([
    ['is absent', undefined, {}],
    ['is text', '2026', {}],
    ['is before 2020', Date.UTC(2000, 0, 1), {}],
    ['is an hour ahead', receivedAt + hour, {}],
    ['is 1e308', 1e308, {}],
    ['is older than any buffer', receivedAt - 30 * 24 * hour, {}],
    ['is reported to be unset', receivedAt - 1000, { tq: 2 }],
  ])('device time is replaced by the time of receipt when it %s', (_name, t, more) => {
    expect(at(0, t, theDevice(), more)).toMatchObject({ at: receivedAt, flags: flag.unusable });
  });
});
