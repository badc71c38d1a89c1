import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type WriteSheet, writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUser } from '#test/factories.ts';
import { sendDevices } from '#test/send-devices.ts';
import { type BookPlan, workbook } from '#test/workbook.ts';
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
const resultsOf = (answer: { status: number; data: { results: Row[] } }) => {
  expect(answer.status).toBe(200);
  return answer.data.results.map(({ row, number, result, field }) =>
    result === 'done' ? `${row} ${number}` : `${row} ${number} ${field}`,
  );
};
const pasted = async (text: string) =>
  resultsOf(await admin.call('/device/import', { text, preview: true }, english));
const send = (content: Uint8Array, preview = true) => sendDevices(world, admin, content, { preview });
const sheets = async (...given: WriteSheet[]) => resultsOf(await send(await writeXlsx({ sheets: given })));
const heading = ['number', 'name', 'type', 'project', 'part', 'address', 'lines', 'expires_on'];

describe('a pasted list', () => {
  it('reads a file that begins with a byte order mark', async () => {
    expect(await pasted('\ufeff"Номер устройства";"Тип устройства"\r\n"PASTED01";"3"\r\n')).toEqual([
      '2 PASTED01',
    ]);
  });
  it('a pasted list is split at the separator of its first row, whatever characters its cells hold', async () => {
    expect(await pasted('number,name,type\nPASTED01,"A; B\tC",3\nPASTED02,A;B,3')).toEqual([
      '2 PASTED01',
      '3 PASTED02',
    ]);
    expect(await pasted('PASTED01;A, B\tC;3')).toEqual(['1 PASTED01']);
    expect(await pasted('PASTED01\tA; B, C\t3')).toEqual(['1 PASTED01']);
  });
  it('a pasted list may have a title above its heading', async () => {
    expect(await pasted('Harbour, 2026\n\nnumber,type\nPASTED01,3')).toEqual(['4 PASTED01']);
  });
  it('a pasted list may hold invisible characters around a device number', async () => {
    expect(await pasted('\u200bPASTED01\u00a0,Board,\ufeff3')).toEqual(['1 PASTED01']);
  });
  it.each(['2027-05-01', '2027/5/1', '2027.05.01', '2027年5月1日', '1.5.2027', '01.05.2027'])(
    'reads %s as the first of May',
    async (day) => {
      const number = `DAY${crypto.randomUUID().slice(0, 8)}`;
      await admin.call('/device/import', { text: `${number},Board,3,,,,1,${day}` });
      const { data } = await admin.call('/Device/get_device_list', { number });
      expect(data.list[0].expires_on).toBe('2027-05-01');
    },
  );
  it.each(['5/1/2027', '01-05-2027', '2027/13/1', '2027/2/30', '2027.5', '46508'])(
    'refuses the ambiguous or invalid date %s',
    async (day) => {
      expect(await pasted(`PASTED01,Board,3,,,,1,${day}`)).toEqual(['1 PASTED01 expires_on']);
    },
  );
  it.each([
    ['zh', '表格已截断此编号，请将该列设为文本格式后重新填写'],
    ['en', 'The spreadsheet cut this number short; make the column text and enter it again'],
    ['ru', 'Таблица сократила этот номер; задайте столбцу текстовый формат и введите номер заново'],
  ])('reports in %s that a number was cut short', async (language, message) => {
    const text = '8.61235E+14,Board,3\n1E+20,Board,3';
    const { data } = await admin.call(
      '/device/import',
      { text, preview: true },
      { 'accept-language': language },
    );
    expect(data.results).toMatchObject([{ message }, { message }]);
  });
});

describe('headings', () => {
  const whole = async (text: string, language: string) =>
    (await admin.call('/device/import', { text, preview: true, type: 3 }, { 'accept-language': language }))
      .data;
  it.each([
    ['编号', '名称', '类型', '项目', '区域', '地址', '线路', '到期'],
    ['设备号', '名称：', '类型', '项目名称', '区域', '地址', '线路数量', '到期日期'],
    ['Number', 'Name', 'Type', 'Project', 'Part', 'Address', 'Lines', 'Expires'],
    ['Номер', 'Название', 'Тип', 'Объект', 'Участок', 'Адрес', 'Линии', 'Срок'],
    ['Номер*', ' наименование ', 'ТИП', 'Проект', 'Участок', 'Адрес', 'Число\u00a0линий', 'Срок действия'],
  ])('understands %s, %s, %s and the other short headings', async (...short) => {
    const number = `SHORT${crypto.randomUUID().slice(0, 8)}`;
    const row = [number, 'Board', '4', '', '', 'Street 1', '2', '2027-05-01'];
    const { data } = await admin.call('/device/import', { text: `${short.join(';')}\n${row.join(';')}` });
    expect(data).toMatchObject({ added: 1, unread: [] });
    const { data: list } = await admin.call('/Device/get_device_list', { number });
    expect(list.list).toMatchObject([
      { name: 'Board', type: 4, address: 'Street 1', lines: 2, expires_on: '2027-05-01' },
    ]);
    for (const [index, heading] of short.entries()) {
      const others = { 3: 'Nowhere', 4: 'Nowhere' }[index];
      if (!others) continue;
      const text = `${short[0]};${heading}\nSHORT001;${others}`;
      expect((await whole(text, 'en')).results).toMatchObject([{ field: index === 3 ? 'project' : 'part' }]);
    }
  });
  it.each([
    ['zh', '未导入“Floor”列：标题无法识别', '未导入第 4 列：没有标题', '未导入“name”列：该内容已取自其他列'],
    [
      'en',
      'The column ‘Floor’ is not imported: its heading is not among those of the list',
      'Column 4 is not imported: it has no heading',
      'The column ‘name’ is not imported: another column holds the same',
    ],
    [
      'ru',
      'Столбец «Floor» не импортируется: такого заголовка в списке нет',
      'Столбец 4 не импортируется: у него нет заголовка',
      'Столбец «name» не импортируется: то же содержит другой столбец',
    ],
  ])('names in %s each column that is not read', async (language, ...sentences) => {
    const text = 'number;Floor;name;;Название;\nUNREAD01;2;Second;x;Board;';
    const data = await whole(text, language);
    expect(data.results).toMatchObject([{ result: 'done' }]);
    const columns = data.unread as { column: number; heading: string; message: string }[];
    expect(columns.map(({ column, heading }) => [column, heading])).toEqual([
      [2, 'Floor'],
      [4, ''],
      [5, 'Название'],
    ]);
    expect(columns.map(({ message }) => message.replace('Название', 'name'))).toEqual(sentences);
  });
  it('names columns beyond the last one of a list without a heading, and shortens a long heading', async () => {
    expect(await whole('UNREAD01,Board,3,,,,1,2027-05-01,,note', 'en')).toMatchObject({
      unread: [{ column: 10, heading: '', message: 'Column 10 is not imported: it has no heading' }],
    });
    const { unread } = await whole(`number,${'x'.repeat(300)}\nUNREAD01,1`, 'en');
    expect(unread).toMatchObject([{ column: 2, heading: 'x'.repeat(60) }]);
  });
  it('names the columns of a spreadsheet that are not read', async () => {
    const rows = [
      ['编号', '名称', 'Этаж'],
      ['UNREAD01', 'Board', 2],
    ];
    const answer = await send(await writeXlsx({ sheets: [{ name: 'x', rows }] }));
    expect(answer.data).toMatchObject({ unread: [{ column: 3, heading: 'Этаж' }] });
  });
});

describe('a spreadsheet', () => {
  it('a list is read from its own sheet, not from a hidden one or one with explanations', async () => {
    expect(
      await sheets(
        { name: 'Old', hidden: true, rows: [heading, ['HIDDEN01', 'x', 3]] },
        { name: 'How to', rows: [['Fill in the next sheet']] },
        { name: 'Devices', rows: [heading, ['SHEET001', 'x', 3]] },
      ),
    ).toEqual(['2 SHEET001']);
  });
  it('a spreadsheet may have a title above its heading and gaps between its rows, however many', async () => {
    const gap = Array.from({ length: 1500 }, () => [null]);
    expect(
      await sheets({
        name: 'Devices',
        rows: [['Harbour, 2026'], heading, ['SHEET001', 'x', 3], ...gap, ['SHEET002', 'x', 3]],
      }),
    ).toEqual(['3 SHEET001', '1504 SHEET002']);
  });
  it('keeps leading zeros of a number as displayed, and refuses rounded numbers', async () => {
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
  it('reports an unreadable spreadsheet at the field of the file', async () => {
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

describe('a list made to be slow', () => {
  const sheetXml = (rows: string) =>
    `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
  const textCell = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const row = (n: number, number: string) =>
    `<row r="${n}">${textCell(`A${n}`, number)}${textCell(`B${n}`, 'x')}<c r="C${n}"><v>3</v></c></row>`;
  /** Takes far longer to read than any list may. */
  const slow: BookPlan = {
    sheetNames: Array.from({ length: 50 }, (_, n) => `S${n}`),
    sheet: sheetXml(
      Array.from(
        { length: 19_000 },
        (_, n) =>
          `<row r="${n + 1}">${Array.from({ length: 18 }, (_, c) => `<c r="${String.fromCharCode(65 + c)}${n + 1}"><v>1</v></c>`).join('')}</row>`,
      ).join(''),
    ),
  };

  it('refuses a workbook that names one sheet two thousand times', async () => {
    const names = Array.from({ length: 2000 }, (_, n) => `S${n}`);
    const answer = await send(workbook({ sheetNames: names, sheet: sheetXml(row(1, 'SHEET001')) }));
    expect(answer).toMatchObject({
      status: 422,
      data: { file: 'The file cannot be read; use .xlsx' },
    });
    expect(
      resultsOf(await send(workbook({ sheetNames: ['S1', 'S2'], sheet: sheetXml(row(1, 'SHEET001')) }))),
    ).toEqual(['1 SHEET001']);
  });

  it('refuses a row that has a cell with 14 MB of text, and reads the next row', async () => {
    const long = textCell('F1', 'x'.repeat(14_000_000));
    const rows = row(1, 'SHEET001').replace('</row>', `${long}</row>`) + row(2, 'SHEET002');
    expect(resultsOf(await send(workbook({ sheetNames: ['S1'], sheet: sheetXml(rows) })))).toEqual([
      '1 SHEET001 address',
      '2 SHEET002',
    ]);
  });

  it('stops reading after eight seconds of work, and answers other calls meanwhile', async () => {
    const began = performance.now();
    const reading = send(workbook(slow));
    const delays: number[] = [];
    const answered = reading.then(() => true);
    while (!(await Promise.race([answered, Promise.resolve(false)]))) {
      const asked = performance.now();
      await admin.call('/device/import', { text: 'PASTED01,Board,3', preview: true });
      delays.push(performance.now() - asked);
      // Gives the processor to the reading, whose processor time is counted.
      await pause(50);
    }
    expect(await reading).toMatchObject({ status: 422, data: { file: expect.stringContaining('too long') } });
    const lasted = performance.now() - began;
    expect(lasted).toBeLessThan(65_000);
    expect(delays.length).toBeGreaterThan(10);
    expect(delays.sort((a, b) => a - b)[Math.floor(delays.length / 2)]).toBeLessThan(lasted / 16);
  });

  it('stops reading when the client leaves, so that the next list is read at once', async () => {
    await world.app.listen({ port: 0 });
    const { port } = world.app.server.address() as AddressInfo;
    const text = `number,name\n${'PASTED01,a longer name\n'.repeat(1200)}`;
    const next = async () => {
      const began = performance.now();
      const { data } = await admin.call('/device/import', { text, preview: true });
      expect(data).toHaveProperty('text');
      return performance.now() - began;
    };
    const alone = await next();
    const leaving = new AbortController();
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(workbook(slow))]), 'devices.xlsx');
    form.append('preview', 'true');
    const left = fetch(`http://127.0.0.1:${port}/device/import`, {
      method: 'POST',
      body: form,
      headers: { authorization: admin.token },
      signal: leaving.signal,
    }).catch(() => 'left');
    await pause(1500);
    leaving.abort();
    expect(await left).toBe('left');
    // The abandoned list would need more than six more seconds.
    expect(await next()).toBeLessThan(2 * alone + 5000);
  });
});
