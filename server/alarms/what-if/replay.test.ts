import * as fc from 'fast-check';
import { to } from 'pg-copy-streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { makeDays } from '#database/partitions.ts';
import { start } from '#test/alarm-feeder.ts';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';
import { compare, type Episode } from './replay.ts';
import { createRowReader, type StoredReading } from './stored-readings.ts';

let alarms: AlarmWorld;
beforeAll(async () => {
  alarms = await createAlarmWorld();
  await makeDays(alarms.world.pool, 'readings', [Math.floor(start / 86_400_000)]);
  await alarms.renew();
});
afterAll(() => alarms.close());

test('a replay with the same result has no missed, lowered or new alarm', () => {
  const episode = fc.record({
    at: fc.nat({ max: 1000 }),
    endedAt: fc.constant(null),
    phase: fc.nat({ max: 3 }),
    level: fc.constantFrom(1 as const, 2 as const),
    severity: fc.constant(2),
    value: fc.constant(null),
    threshold: fc.constant(null),
  });
  fc.assert(
    fc.property(fc.array(episode, { maxLength: 6 }), (episodes: Episode[]) => {
      const ended = episodes.map((each, index) => ({ ...each, at: index * 10, endedAt: index * 10 + 5 }));
      expect(compare(ended, ended)).toEqual({ remain: ended, missed: [], lowered: [], added: [] });
      expect(compare(ended, []).missed).toEqual(ended);
      expect(compare([], ended).added).toEqual(ended);
    }),
  );
});

test('rows are read completely wherever the stream is cut into chunks', async () => {
  const { pool } = alarms.world;
  const width = lineChannels[3].length;
  const channels = Array.from({ length: width }, (_, index) => (index % 4 === 3 ? null : index * 0.1));
  await pool.query(
    `insert into readings (at, line_id, boot, seq, rx_ms, position, trip, flags, channels)
     values ($1, $2, 1, 1, 0, null, 205, 8, $3), ($4, $2, 1, 2, 0, 0, null, null, '{}')`,
    [new Date(start - 5000), alarms.line.lineId, channels, new Date(start - 4000)],
  );
  const client = await pool.connect();
  const chunks: Buffer[] = [];
  const stream = client.query(
    to(`copy (select at, position, trip, flags, channels from readings where line_id = ${alarms.line.lineId}
      order by at) to stdout (format binary)`),
  );
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  client.release();
  const bytes = Buffer.concat(chunks);
  const read = (size: number): StoredReading[] => {
    const rows: StoredReading[] = [];
    const push = createRowReader((row) => rows.push(row));
    for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size));
    return rows;
  };
  for (const size of [1, 7, 64, bytes.length])
    expect(read(size)).toEqual([
      {
        at: start - 5000,
        position: null,
        trip: 205,
        flags: 8,
        channels: channels.map((value) => (value === null ? null : Math.round(value * 10) / 10)),
      },
      { at: start - 4000, position: 0, trip: null, flags: 0, channels: [] },
    ]);
});
