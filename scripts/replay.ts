/**
 * npm run replay -- file.csv --map time=Timestamp,U.a=V1,I.a=A1,P.t=kW*1000 [--type 4] [--un 220] [--in 63]
 *   [--zone Asia/Shanghai] [--set il_a=300,ov_w=240]
 * Sends recorded feeder data through the device protocol's decoder and the alarm rules, and counts what a bare
 * threshold would have raised and what deadband and delays leave of it.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { alarmName } from '#contract/alarm-names.ts';
import { deviceTypes } from '#contract/telemetry.ts';
import { cellsOf, createReplay, mappingOf, separatorOf, timeOf } from './replay-rows.ts';

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
      set: { type: 'string', default: '' },
    },
  });
  const [file] = positionals;
  if (!file || !values.map) return fail('Usage: npm run replay -- file.csv --map time=Timestamp,U.a=V1,…');
  const type = deviceTypes.find((known) => String(known) === values.type) ?? fail('--type is 1 to 7.');
  const mappings = mappingOf(values.map, type);
  if (!mappings.some(({ channel }) => channel === 'time')) fail('--map has to name the column of the time.');
  const thresholds = Object.fromEntries(
    values.set
      .split(',')
      .filter((part) => part !== '')
      .map((part) => [part.split('=')[0] ?? '', Number(part.split('=')[1])]),
  );

  let separator = ',';
  let columns: { channel: string; index: number; factor: number }[] | null = null;
  let unreadable = 0;
  const rows: { at: number; values: Map<string, number> }[] = [];
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (line.trim() === '') continue;
    if (columns === null) {
      separator = separatorOf(line);
      const header = cellsOf(line.replace(/^\uFEFF/, ''), separator);
      columns = mappings.map(({ channel, column, factor }) => {
        const index = header.indexOf(column);
        if (index < 0) fail(`There is no column '${column}': there are ${header.join(', ')}.`);
        return { channel, index, factor };
      });
      continue;
    }
    const cells = cellsOf(line, separator);
    let at = Number.NaN;
    const read = new Map<string, number>();
    for (const { channel, index, factor } of columns) {
      const cell = cells[index] ?? '';
      if (channel === 'time') at = timeOf(cell, values.zone);
      else if (cell !== '' && Number.isFinite(Number(cell))) read.set(channel, Number(cell) * factor);
    }
    if (Number.isNaN(at)) unreadable += 1;
    else rows.push({ at, values: read });
  }
  rows.sort((a, b) => a.at - b.at);
  const gaps = rows.slice(1, 1000).map((row, index) => row.at - (rows[index]?.at ?? row.at));
  const usual = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 60_000;
  const replay = createReplay({
    type,
    nominalVoltage: Number(values.un),
    ratedCurrent: Number(values.in),
    thresholds,
    zone: values.zone,
    uploadSeconds: Math.max(5, Math.round(usual / 1000)),
  });
  for (const row of rows) replay.take(row.at, row.values);
  report(replay.tally, unreadable);
};

const report = (tally: ReturnType<typeof createReplay>['tally'], unreadable: number): void => {
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const cell = (value: number | string, width: number) => String(value).padStart(width);
  say(`${tally.messages} messages${unreadable > 0 ? `, ${unreadable} rows without a time left out` : ''}`);
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
