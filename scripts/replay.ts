/**
 * npm run replay -- file.csv --map time=Date+Time,U.a=V1,I.a=A1,P.t=kW*1000 [--type 4] [--un 220] [--in 63]
 *   [--zone Asia/Shanghai] [--time-format 'M/d/yyyy H:mm'] [--set il_a=300,ov_w=240]
 * Sends recorded feeder data through the device protocol's decoder and the alarm rules, and compares the number of alarms
 * of a bare threshold with the number after deadband and delays.
 */
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { IANAZone } from 'luxon';
import { thresholdKeysOf } from '#contract/alarm-catalogue.ts';
import { alarmName } from '#contract/alarm-names.ts';
import { type DeviceType, deviceTypes } from '#contract/telemetry.ts';
import { createReplay, mappingOf, type Recording, record, timeReader } from './replay-rows.ts';

const fail = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
};

const run = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      map: { type: 'string' },
      type: { type: 'string', default: '4' },
      un: { type: 'string', default: '220' },
      in: { type: 'string', default: '63' },
      zone: { type: 'string', default: 'Asia/Shanghai' },
      'time-format': { type: 'string' },
      set: { type: 'string', default: '' },
    },
  });
  const [file] = positionals;
  if (!file || !values.map) return fail('Usage: npm run replay -- file.csv --map time=Timestamp,U.a=V1,…');
  const type = deviceTypes.find((known) => String(known) === values.type) ?? fail('--type is 1 to 7.');
  const mappings = mappingOf(values.map, type);
  if (!IANAZone.isValidZone(values.zone)) return fail(`--zone '${values.zone}' is no time zone.`);
  if (!existsSync(file)) return fail(`There is no file '${file}'.`);
  const thresholds = thresholdsOf(values.set, type);
  const nominalVoltage = positive('--un', values.un);
  const ratedCurrent = positive('--in', values.in);

  const recording = await record(
    createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }),
    mappings,
    timeReader(values.zone, values['time-format']),
  );
  if (recording.length === 0)
    return fail(
      recording.firstUnreadable === null
        ? `'${file}' has no rows.`
        : `No row has a readable time; the first is '${recording.firstUnreadable}'. Give its format by --time-format, for example 'M/d/yyyy H:mm'.`,
    );
  const replay = createReplay({
    type,
    nominalVoltage,
    ratedCurrent,
    thresholds,
    zone: values.zone,
    uploadSeconds: Math.max(5, Math.round(recording.usualGap / 1000)),
  });
  for (const { at, values: read } of recording.rows()) if (read.size > 0) replay.take(at, read);
  report(replay.tally, recording);
};

const positive = (name: string, text: string): number => {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : fail(`${name} is a number above 0, not '${text}'.`);
};
const thresholdsOf = (text: string, type: DeviceType): Record<string, number> => {
  const known = thresholdKeysOf(type);
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [key = '', value = ''] = part.split('=').map((side) => side.trim());
      if (!known.includes(key)) fail(`Type ${type} has no threshold '${key}': it has ${known.join(', ')}.`);
      return [key, positive(key, value)];
    }),
  );
};

const report = (
  tally: ReturnType<typeof createReplay>['tally'],
  { unreadable, notNumbers, isAmbiguous }: Recording,
): void => {
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const cell = (value: number | string, width: number) => String(value).padStart(width);
  say(`${tally.messages} messages${unreadable > 0 ? `, ${unreadable} rows without a time left out` : ''}`);
  if (notNumbers > 0) say(`${notNumbers} cells that are no numbers left out`);
  if (isAmbiguous) say('Days were taken to precede months: else give --time-format.');
  for (const [reason, count] of tally.refused) say(`${count} refused by the protocol: ${reason}`);
  say(`${'type'.padEnd(34)}${cell('bare', 9)}${cell('alarms', 9)}`);
  let bare = 0;
  let alarms = 0;
  for (const [code, count] of [...tally.codes].sort(([a], [b]) => a - b)) {
    bare += count.bare;
    alarms += count.alarms;
    say(`${`${code} ${alarmName('en-US', code)}`.padEnd(34)}${cell(count.bare, 9)}${cell(count.alarms, 9)}`);
  }
  say(`${'all'.padEnd(34)}${cell(bare, 9)}${cell(alarms, 9)}`);
  if (alarms > 0) say(`A bare threshold raises ${(bare / alarms).toFixed(1)} times as many.`);
};

run().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
