import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { type Cell, type SheetColumn, spreadsheet } from './spreadsheet.ts';

const written = async (columns: readonly SheetColumn[], rows: readonly (readonly Cell[])[], zone = 'UTC') => {
  const stream = spreadsheet({
    name: 'Sheet',
    zone,
    columns,
    rows: (async function* () {
      yield* rows;
    })(),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return (await readXlsx(Buffer.concat(chunks))).sheets[0]!;
};

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '<b>&amp;', '断路器'])(
  'text %j stays text',
  async (text) => {
    const sheet = await written([{ header: 'a' }], [[text]]);
    expect(sheet.rows[1]).toEqual([text]);
    expect([...(sheet.cells?.values() ?? [])].some((cell) => cell.type === 'formula')).toBe(false);
  },
);

test('characters that a sheet cannot hold are left out', async () => {
  const sheet = await written([{ header: 'a' }], [['a\u0000b\u001fc\ud800d😀']]);
  expect(sheet.rows[1]).toEqual(['abcd😀']);
});

test('instants are shown in the given zone, also around a clock change; dates do not change', async () => {
  const columns: SheetColumn[] = [
    { header: 'at', kind: 'instant' },
    { header: 'on', kind: 'date' },
  ];
  const winter = new Date('2026-01-15T12:00:00Z');
  const summer = new Date('2026-07-15T12:00:00Z');
  const sheet = await written(
    columns,
    [
      [winter, winter],
      [summer, null],
    ],
    'Europe/Berlin',
  );
  expect(sheet.rows[1]).toEqual([new Date('2026-01-15T13:00:00Z'), winter]);
  expect(sheet.rows[2]?.[0]).toEqual(new Date('2026-07-15T14:00:00Z'));
});

test('numbers stay numbers; other values are empty', async () => {
  const sheet = await written([{ header: 'n', kind: 'number' }], [[1.5], [Number.NaN], [null], [0]]);
  expect(sheet.rows.slice(1).map((row) => row[0] ?? null)).toEqual([1.5, null, null, 0]);
});

test('a spreadsheet reads its rows only as fast as its reader takes them', async () => {
  let given = 0;
  const stream = spreadsheet({
    name: 'Sheet',
    zone: 'UTC',
    columns: [{ header: 'n', kind: 'number' }, { header: 't' }],
    rows: (async function* () {
      for (;;) yield [++given, `text ${given} ${Math.imul(given, 2_654_435_761)}`];
    })(),
  });
  for await (const _ of stream) break;
  expect(given).toBeLessThan(100_000);
  expect(stream.destroyed).toBe(true);
});

test('the memory of a spreadsheet does not depend on the number of its rows', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /** Megabytes that are held when the last row is asked for, after a full collection. */
  const heldAtEnd = async (rows: number): Promise<number> => {
    let held = 0;
    const stream = spreadsheet({
      name: 'Sheet',
      zone: 'Asia/Shanghai',
      columns: [{ header: 'n', kind: 'number' }, { header: 't' }, { header: 'at', kind: 'instant' }],
      rows: (async function* () {
        for (let n = 0; n < rows; n += 1)
          yield [n, `text ${n} ${Math.imul(n, 2_654_435_761)}`, new Date(n * 60_000)];
        collect();
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        held = (heapUsed + arrayBuffers) / 2 ** 20;
      })(),
    });
    await once(stream.resume(), 'end');
    return held;
  };
  await heldAtEnd(2000);
  const few = await heldAtEnd(2000);
  expect((await heldAtEnd(40_000)) - few).toBeLessThan(2);
});
