import { type WriteSheet, writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUser } from '#test/factories.ts';
import { sendDevices } from '#test/send-devices.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { deviceRoutes } from './devices.routes.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => deviceRoutes(serve));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
const english = { 'accept-language': 'en' };

interface Row {
  row: number;
  number: string;
  result: string;
  field: string | null;
  message: string | null;
}
const told = (answer: { status: number; data: { results: Row[] } }) => {
  expect(answer.status).toBe(200);
  return answer.data.results.map(({ row, number, result, field }) =>
    result === 'done' ? `${row} ${number}` : `${row} ${number} ${field}`,
  );
};
const pasted = async (text: string) =>
  told(await admin.call('/device/import', { text, preview: true }, english));
const send = (content: Uint8Array, preview = true) => sendDevices(world, admin, content, { preview });
const sheets = async (...given: WriteSheet[]) => told(await send(await writeXlsx({ sheets: given })));
const heading = ['number', 'name', 'type', 'project', 'part', 'address', 'lines', 'expires_on'];

describe('a pasted list', () => {
  it('may come from a file that begins with a byte order mark', async () => {
    expect(await pasted('\ufeff"Номер устройства";"Тип устройства"\r\n"PASTED01";"3"\r\n')).toEqual([
      '2 PASTED01',
    ]);
  });
  it('is parted by what parts its first row, whatever else stands in its cells', async () => {
    expect(await pasted('number,name,type\nPASTED01,"A; B\tC",3\nPASTED02,A;B,3')).toEqual([
      '2 PASTED01',
      '3 PASTED02',
    ]);
    expect(await pasted('PASTED01;A, B\tC;3')).toEqual(['1 PASTED01']);
    expect(await pasted('PASTED01\tA; B, C\t3')).toEqual(['1 PASTED01']);
  });
  it('may have a title above its heading', async () => {
    expect(await pasted('Harbour, 2026\n\nnumber,type\nPASTED01,3')).toEqual(['4 PASTED01']);
  });
  it('may hold characters that nobody sees around a number', async () => {
    expect(await pasted('\u200bPASTED01\u00a0,Board,\ufeff3')).toEqual(['1 PASTED01']);
  });
  it.each(['2027-05-01', '2027/5/1', '2027.05.01', '2027年5月1日', '1.5.2027', '01.05.2027'])(
    'takes %s for the first of May',
    async (day) => {
      const number = `DAY${crypto.randomUUID().slice(0, 8)}`;
      await admin.call('/device/import', { text: `${number},Board,3,,,,1,${day}` });
      const { data } = await admin.call('/Device/get_device_list', { number });
      expect(data.list[0].expires_on).toBe('2027-05-01');
    },
  );
  it.each(['5/1/2027', '01-05-2027', '2027/13/1', '2027/2/30', '2027.5', '46508'])(
    'does not guess at %s',
    async (day) => {
      expect(await pasted(`PASTED01,Board,3,,,,1,${day}`)).toEqual(['1 PASTED01 expires_on']);
    },
  );
  it.each([
    ['zh', '表格已截断此编号，请将该列设为文本格式后重新填写'],
    ['en', 'The spreadsheet cut this number short; make the column text and enter it again'],
    ['ru', 'Таблица сократила этот номер; задайте столбцу текстовый формат и введите номер заново'],
  ])('says in %s that a number was cut short', async (language, message) => {
    const text = '8.61235E+14,Board,3\n1E+20,Board,3';
    const { data } = await admin.call(
      '/device/import',
      { text, preview: true },
      { 'accept-language': language },
    );
    expect(data.results).toMatchObject([{ message }, { message }]);
  });
});

describe('a spreadsheet', () => {
  it('is read where its list is: not in a hidden sheet, nor in one that explains', async () => {
    expect(
      await sheets(
        { name: 'Old', hidden: true, rows: [heading, ['HIDDEN01', 'x', 3]] },
        { name: 'How to', rows: [['Fill in the next sheet']] },
        { name: 'Devices', rows: [heading, ['SHEET001', 'x', 3]] },
      ),
    ).toEqual(['2 SHEET001']);
  });
  it('may have a title above its heading and gaps between its rows, however many', async () => {
    const gap = Array.from({ length: 1500 }, () => [null]);
    expect(
      await sheets({
        name: 'Devices',
        rows: [['Harbour, 2026'], heading, ['SHEET001', 'x', 3], ...gap, ['SHEET002', 'x', 3]],
      }),
    ).toEqual(['3 SHEET001', '1504 SHEET002']);
  });
  it('keeps zeros in front of a number as they are seen, and takes none that was rounded', async () => {
    expect(
      await sheets({
        name: 'Devices',
        columns: [{ numFmt: '00000000' }, {}, {}],
        rows: [
          [1_234_567, 'x', 3],
          [861_234_567_890_123, 'x', 3],
          [8.612_345_678_9e17, 'x', 3],
        ],
      }),
    ).toEqual(['1 01234567', '2 861234567890123', '3 8.6123456789E+17 number']);
  });
  it('marks what is wrong with it at the file', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => [`MANY${1000 + n}`, 'x', 3]);
    const flaw = async (sheet: WriteSheet) =>
      (await send(await writeXlsx({ sheets: [sheet] }))).data as Record<string, string>;
    expect(await flaw({ name: 'x', rows: [heading, ...rows(1001)] })).toEqual({
      file: 'At most 1000 rows at a time',
    });
    expect(await flaw({ name: 'x', rows: [] })).toEqual({ file: 'There are no rows to import' });
    expect(await flaw({ name: 'x', rows: [['name', 'type']] })).toEqual({
      file: 'The column with the device number is missing',
    });
  });
});
