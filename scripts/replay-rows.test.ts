import { describe, expect, it } from 'vitest';
import { cellsOf, createReplay, mappingOf, separatorOf, timeOf } from './replay-rows.ts';

const replay = () =>
  createReplay({
    type: 3,
    nominalVoltage: 220,
    ratedCurrent: 40,
    thresholds: {},
    zone: 'Asia/Shanghai',
    uploadSeconds: 60,
  });
const begin = Date.parse('2026-03-01T00:00:00Z');

describe('a replay', () => {
  it('of a value that dances around its limit raises one alarm where a bare threshold raises many', () => {
    const feeder = replay();
    for (let minute = 0; minute < 240; minute += 1)
      feeder.take(
        begin + minute * 60_000,
        new Map([
          ['U.a', minute % 3 === 2 ? 234 : 237],
          ['I.a', 5],
        ]),
      );
    const count = feeder.tally.codes.get(101);
    expect(count?.bare).toBe(80);
    expect(count?.alarms).toBe(1);
    expect(feeder.tally.messages).toBe(240);
  });
  it('goes through the protocol’s own checks', () => {
    const feeder = replay();
    feeder.take(begin, new Map([['U.a', 9000]]));
    expect([...feeder.tally.refused.keys()]).toEqual(['out_of_range']);
  });
});

describe('a file', () => {
  it('is read with its separators, quotes, factors and times', () => {
    expect(separatorOf('time;U a;I')).toBe(';');
    expect(cellsOf('1,"a ""b"", c",', ',')).toEqual(['1', 'a "b", c', '']);
    expect(mappingOf('time=Time stamp, P.t = kW*1000', 3)).toEqual([
      { channel: 'time', column: 'Time stamp', factor: 1 },
      { channel: 'P.t', column: 'kW', factor: 1000 },
    ]);
    expect(() => mappingOf('U.b=x', 3)).toThrow("no channel 'U.b'");
    const noon = Date.parse('2026-03-01T04:00:00Z');
    for (const text of [
      '2026-03-01 12:00:00',
      '2026-03-01T04:00:00Z',
      '1/3/2026 12:00',
      String(noon),
      String(noon / 1000),
    ])
      expect(timeOf(text, 'Asia/Shanghai')).toBe(noon);
    expect(timeOf('soon', 'Asia/Shanghai')).toBeNaN();
  });
});
