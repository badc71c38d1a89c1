import { once } from 'node:events';
import { spreadsheet } from '#server/core/spreadsheet.ts';
import type { Figure } from './figure.ts';
import { scaled } from './scale.ts';

/** An .xlsx of 1,000,000 rows, read by a client that discards the bytes: how much the memory grows. */
const count = scaled(1_000_000);
const megabytes = () => process.memoryUsage.rss() / 1024 / 1024;

const rows = async function* (upTo: number) {
  for (let n = 1; n <= upTo; n++)
    yield [
      `DEV${n}`,
      `Device ${n}`,
      n * 1.5,
      new Date(1_760_000_000_000 + n * 1000),
      n % 2 === 0 ? 'on' : 'off',
    ];
};
const write = (upTo: number) =>
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
    rows: rows(upTo),
  });

export const run = async (): Promise<Figure[]> => {
  // Warm-up: the server has written sheets before.
  await once(write(50_000).resume(), 'end');
  const begun = performance.now();
  const before = megabytes();
  let most = before;
  let bytes = 0;
  const stream = write(count);
  stream.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    most = Math.max(most, megabytes());
  });
  await once(stream, 'end');
  console.log(
    `${count} rows, ${(bytes / 1024 / 1024).toFixed(0)} MB in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );
  return [
    {
      name: `.xlsx of ${count.toLocaleString('en')} rows: growth of memory`,
      figure: most - before,
      unit: 'MB',
      goal: '≤ 100 MB',
      anchor: '',
    },
  ];
};
