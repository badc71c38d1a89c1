import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { spreadsheet } from '#server/core/spreadsheet.ts';
import type { Figure } from './figure.ts';
import { scaled } from './scale.ts';

/**
 * An .xlsx of 250,000 and of 1,000,000 rows, read by a client that discards the bytes: what they hold, and how much the
 * memory grows.
 */
const counts = [scaled(250_000), scaled(1_000_000)] as const;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const megabytes = 2 ** 20;

const rows = async function* (upTo: number, atEnd: () => void) {
  for (let n = 1; n <= upTo; n++)
    yield [
      `DEV${n}`,
      `Device ${n}`,
      n * 1.5,
      new Date(1_760_000_000_000 + n * 1000),
      n % 2 === 0 ? 'on' : 'off',
    ];
  atEnd();
};
const write = (upTo: number, atEnd: () => void) =>
  spreadsheet({
    name: 'Rows',
    zone: 'Asia/Shanghai',
    columns: [
      { header: 'Number' },
      { header: 'Name' },
      { header: 'Value', kind: 'number' },
      { header: 'At', kind: 'instant' },
      { header: 'State' },
    ],
    rows: rows(upTo, atEnd),
  });

/** In megabytes: what a full collection leaves before the last byte, and the growth of the process until then. */
const measure = async (count: number): Promise<{ held: number; growth: number }> => {
  const begun = performance.now();
  const before = process.memoryUsage.rss();
  let most = before;
  let bytes = 0;
  let held = 0;
  const stream = write(count, () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    held = heapUsed + arrayBuffers;
  });
  stream.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    most = Math.max(most, process.memoryUsage.rss());
  });
  await once(stream, 'end');
  console.log(
    `${count} rows, ${(bytes / megabytes).toFixed(0)} MB in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );
  return { held: held / megabytes, growth: (most - before) / megabytes };
};

export const run = async (): Promise<Figure[]> => {
  // Imitates a server that has run for long: V8's memory for short-lived objects has already grown to its full
  // size.
  await measure(counts[1]);
  const figures: Figure[] = [];
  for (const count of counts) {
    const { held, growth } = await measure(count);
    const name = `.xlsx of ${count.toLocaleString('en')} rows`;
    const same = 'the same for any number of rows';
    figures.push(
      {
        name: `${name}: data in memory before its last byte`,
        figure: held,
        unit: 'MB',
        goal: same,
        anchor: '',
      },
      { name: `${name}: growth of the process`, figure: growth, unit: 'MB', goal: '≤ 100 MB', anchor: '' },
    );
  }
  return figures;
};
