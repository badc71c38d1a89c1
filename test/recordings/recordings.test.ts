import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { DeviceType } from '#contract/telemetry.ts';
import { createReplay, mappingOf, type Recording, record, timeReader } from '../../scripts/replay-rows.ts';
import { type Episode, episodesOf, type Rating, rulesOf, type Sample } from './reference.ts';

const recordings: {
  name: string;
  type: DeviceType;
  map: string;
  format?: string;
  rating: Rating;
}[] = [
  {
    name: 'household',
    type: 3,
    map: 'time=Date+Time,P.t=Global_active_power*1000,U.a=Voltage,I.a=Global_intensity',
    rating: { nominalVoltage: 230, ratedCurrent: 40, phases: ['a'] },
  },
  {
    name: 'feeder',
    type: 4,
    map: 'time=Timestamp,U.a=V1,U.b=V2,U.c=V3,I.a=I1,I.b=I2,I.c=I3,I.n=In,P.t=kW*1000,PF.t=PF',
    rating: { nominalVoltage: 240, ratedCurrent: 63, phases: ['a', 'b', 'c'] },
  },
];
const judged = new Set([101, 102, 201, 202, 105, 203, 204, 206]);
const phaseNames = ['', 'a', 'b', 'c', 'n'];
const byTime = (a: Episode, b: Episode) =>
  a.code - b.code || a.phase.localeCompare(b.phase) || a.raisedAt - b.raisedAt;

const read = ({ name, type, map, format }: (typeof recordings)[number]): Promise<Recording> =>
  record(
    createInterface({ input: createReadStream(new URL(`./${name}.csv`, import.meta.url)) }),
    mappingOf(map, type),
    timeReader('UTC', format),
  );
/** Rows with the same time are one sample: the later row repeats the earlier one. */
const samplesOf = (recording: Recording): Sample[] => {
  const samples = new Map<number, Sample>();
  for (const { at, values } of recording.rows())
    if (values.size > 0) samples.set(at, { at, values: Object.fromEntries(values) });
  return [...samples.values()];
};

describe.each(recordings)('the recording of a $name', (given) => {
  test('raises, escalates and clears at exactly the same samples as an independent reference', async () => {
    const recording = await read(given);
    const samples = samplesOf(recording);
    const expected = rulesOf(given.rating).flatMap((rule) => episodesOf(rule, samples));
    const replay = createReplay({
      type: given.type,
      nominalVoltage: given.rating.nominalVoltage,
      ratedCurrent: given.rating.ratedCurrent,
      thresholds: {},
      zone: 'UTC',
      uploadSeconds: 60,
    });
    for (const { at, values } of recording.rows()) if (values.size > 0) replay.take(at, values);
    const found = replay.tally.episodes
      .filter(({ code }) => judged.has(code))
      .map(
        ({ code, phase, raisedAt, alarmAt, clearedAt }): Episode => ({
          code,
          phase: phaseNames[phase] ?? '?',
          raisedAt,
          alarmAt,
          clearedAt,
        }),
      );
    const readable = (episode: Episode) =>
      `${episode.code}${episode.phase} ${[episode.raisedAt, episode.alarmAt, episode.clearedAt].map((at) => (at === null ? '–' : new Date(at).toISOString())).join(' ')}`;
    expect([...replay.tally.refused]).toEqual([]);
    expect(found.sort(byTime).map(readable)).toEqual(expected.sort(byTime).map(readable));
    expect(expected.length).toBeGreaterThan(30);
  });
});
