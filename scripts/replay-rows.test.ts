import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  cellsOf,
  createReplay,
  mappingOf,
  numberOf,
  record,
  separatorOf,
  timeReader,
} from './replay-rows.ts';

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
  it('raises one alarm for a value that oscillates around its limit, where a bare threshold raises many', () => {
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
  it('a replay passes the checks of the protocol', () => {
    const feeder = replay();
    feeder.take(begin, new Map([['U.a', 9000]]));
    expect([...feeder.tally.refused.keys()]).toEqual(['implausible value']);
  });
});

describe('a file', () => {
  it('a file is read with its own separators, quotes, factors and time format', () => {
    expect(separatorOf('time;U a;I')).toBe(';');
    expect(cellsOf('1,"a ""b"", c",', ',')).toEqual(['1', 'a "b", c', '']);
    expect(mappingOf('time=Time stamp, P.t = kW*1000', 3)).toEqual([
      { channel: 'time', column: 'Time stamp', factor: 1 },
      { channel: 'P.t', column: 'kW', factor: 1000 },
    ]);
    expect(() => mappingOf('U.b=x', 3)).toThrow("no channel 'U.b'");
  });

  it('a file may write times as spreadsheets and data loggers do', () => {
    const noon = Date.parse('2026-03-21T04:00:00Z');
    const read = timeReader('Asia/Shanghai');
    for (const text of [
      '2026-03-21 12:00:00',
      '2026-03-21T04:00:00Z',
      '21.03.2026 12:00:00',
      String(noon),
      String(noon / 1000),
    ])
      expect(read(text)).toEqual([noon, noon]);
    expect(read('21/3/2026 12:00')).toEqual([noon, Number.NaN]);
    expect(read('21/3/2026 12:00:00 PM')).toEqual([noon, Number.NaN]);
    expect(read('3/21/2026 12:00')).toEqual([Number.NaN, noon]);
    expect(read('3/21/2026 12:00:00 PM')).toEqual([Number.NaN, noon]);
    expect(read('soon')).toEqual([Number.NaN, Number.NaN]);
    const fourthOfMarch = Date.parse('2026-03-04T04:00:00Z');
    expect(timeReader('Asia/Shanghai', 'M/d/yyyy H:mm')('3/4/2026 12:00')).toEqual([
      fourthOfMarch,
      fourthOfMarch,
    ]);
  });

  it('the numbers of a file may have any decimal sign and groups of digits', () => {
    for (const [cell, separator, number] of [
      ['230.5', ',', 230.5],
      ['230,5', ',', 230.5],
      ['0,125', ',', 0.125],
      ['1,234', ',', 1234],
      ['1,234', ';', 1.234],
      ['1,234.5', ',', 1234.5],
      ['1.234,5', ';', 1234.5],
      ['1\u00A0234,5', ';', 1234.5],
      ['-1.5e3', ',', -1500],
      ['', ',', Number.NaN],
      ['?', ',', Number.NaN],
    ] as const)
      expect(numberOf(cell, separator), cell).toBe(number);
  });

  const recorded = (text: string, map: string) =>
    record(Readable.from(text.split('\n')), mappingOf(map, 3), timeReader('Europe/Paris'));

  it('a file may have separate columns for date and time, and question marks for gaps', async () => {
    const recording = await recorded(
      'Date;Time;Global_active_power;Voltage\n' +
        '16/12/2006;17:24:00;4.216;234.840\n16/12/2006;17:25:00;?;?\n16/12/2006;never;1;2',
      'time=Date+Time,P.t=Global_active_power*1000,U.a=Voltage',
    );
    expect(recording).toMatchObject({ length: 2, unreadable: 1, usualGap: 60_000 });
    expect([...recording.rows()]).toEqual([
      {
        at: Date.parse('2006-12-16T16:24:00Z'),
        values: new Map([
          ['P.t', 4216],
          ['U.a', 234.84],
        ]),
      },
      { at: Date.parse('2006-12-16T16:25:00Z'), values: new Map() },
    ]);
  });

  it('a file may be newest first, with decimal commas and numbered rows', async () => {
    const recording = await recorded(
      '"time"\t"V"\n"2"\t2007-02-01 00:01:00\t243,32\n"1"\t2007-02-01 00:00:00\t243,15',
      'time=time,U.a=V',
    );
    expect([...recording.rows()].map(({ values }) => values.get('U.a'))).toEqual([243.15, 243.32]);
  });

  it('refuses a recording that lacks a column, and names the column', async () => {
    await expect(recorded('Date,V\n', 'time=Date+Time,U.a=V')).rejects.toThrow("no column 'Time'");
  });

  const atTimes = async (times: readonly string[]) => {
    const recording = await recorded(`t,V\n${times.map((time) => `${time},230`).join('\n')}`, 'time=t,U.a=V');
    const read = [...recording.rows()].map(({ at }) => new Date(at).toISOString().slice(0, 16));
    return { read, isAmbiguous: recording.isAmbiguous, unreadable: recording.unreadable };
  };
  it('one order of day and month holds for the whole file', async () => {
    expect(await atTimes(['1/12/2013 23:00', '1/13/2013 0:00'])).toEqual({
      ...{ read: ['2013-01-12T22:00', '2013-01-12T23:00'], isAmbiguous: false, unreadable: 0 },
    });
    expect(await atTimes(['12/1/2013 23:00', '13/1/2013 0:00'])).toEqual({
      ...{ read: ['2013-01-12T22:00', '2013-01-12T23:00'], isAmbiguous: false, unreadable: 0 },
    });
  });
  it('days that follow each other tell the order of day and month', async () => {
    expect((await atTimes(['1/1/2013 12:00', '1/2/2013 12:00', '1/3/2013 12:00'])).read).toEqual([
      ...['2013-01-01T11:00', '2013-01-02T11:00', '2013-01-03T11:00'],
    ]);
  });
  it('says when nothing tells the order of day and month', async () => {
    expect(await atTimes(['3/4/2013 12:00', '3/4/2013 12:01'])).toEqual({
      ...{ read: ['2013-04-03T10:00', '2013-04-03T10:01'], isAmbiguous: true, unreadable: 0 },
    });
  });
  it('the hour that the end of summer time repeats is read twice', async () => {
    expect(
      (await atTimes(['2013-10-27 02:30', '2013-10-27 02:59', '2013-10-27 02:00', '2013-10-27 02:30'])).read,
    ).toEqual(['2013-10-27T00:30', '2013-10-27T00:59', '2013-10-27T01:00', '2013-10-27T01:30']);
  });
  it('counts cells that are no numbers', async () => {
    const recording = await recorded('t,V\n2013-01-01 00:00,?\n2013-01-01 00:01,', 'time=t,U.a=V');
    expect(recording).toMatchObject({ length: 2, notNumbers: 1 });
  });
});
