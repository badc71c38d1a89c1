import { writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePart, makeProject, makeUser } from '#test/factories.ts';
import { sendDevices } from '#test/send-devices.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { deviceRoutes } from './devices.routes.ts';

let world: World;
let admin: Client;
let regional: Client;
let farAway: { id: number };
const languages = ['zh-CN', 'en-US', 'ru-RU'] as const;
beforeAll(async () => {
  world = await createWorld((serve) => deviceRoutes(serve));
  const harbour = await makeProject(world.db, { name: 'Harbour' });
  await makePart(world.db, harbour.id, 'North');
  farAway = await makeProject(world.db, { name: 'Far away', region_id: 310000 });
  await makePart(world.db, farAway.id, 'Hidden');
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  regional = await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id);
  await admin.call('/device/add_device', { number: 'TAKEN001', name: 'Taken', type: 3 });
});
afterAll(() => world.close());

const preview = async (text: string, language: string, client = admin) =>
  (await client.call('/device/import', { text, preview: true }, { 'accept-language': language })).data;

describe('a row that cannot be added is marked at its field', () => {
  it.each([
    [
      'number',
      'A-1,Board,3',
      [
        '设备编号为 6 至 32 位字母、数字、_ 或 -',
        'A device number has 6 to 32 letters, digits, _ or -',
        'Номер устройства: от 6 до 32 букв, цифр, _ или -',
      ],
    ],
    [
      'number',
      'TAKEN001,Board,3',
      ['该设备编号已存在', 'This device number exists already', 'Устройство с таким номером уже есть'],
    ],
    [
      'number',
      'NEW0001,Board,3\nNEW0001,Board,3',
      [
        '该设备编号在表中重复',
        'The device number occurs twice in the list',
        'Номер устройства повторяется в списке',
      ],
    ],
    [
      'name',
      `NEW0001,${'x'.repeat(61)},3`,
      [
        '请输入设备名称（不超过 60 个字符）',
        'Enter the device name (60 characters at most)',
        'Введите название устройства (не более 60 символов)',
      ],
    ],
    [
      'type',
      'NEW0001,Board,8',
      [
        '设备类型应为 1 至 7 或类型名称',
        'A device type is 1 to 7 or its name',
        'Тип устройства: от 1 до 7 или его название',
      ],
    ],
    [
      'type',
      'NEW0001,Board,',
      [
        '设备类型应为 1 至 7 或类型名称',
        'A device type is 1 to 7 or its name',
        'Тип устройства: от 1 до 7 или его название',
      ],
    ],
    [
      'project',
      'NEW0001,Board,3,Nowhere',
      ['没有此名称的项目', 'There is no project of this name', 'Объекта с таким названием нет'],
    ],
    [
      'part',
      'NEW0001,Board,3,Harbour,South',
      ['该项目中没有此区域', 'The project has no such part', 'На объекте нет такого участка'],
    ],
    [
      'address',
      `NEW0001,Board,3,,,${'x'.repeat(201)}`,
      ['地址不超过 200 个字符', 'An address has 200 characters at most', 'Адрес: не более 200 символов'],
    ],
    [
      'lines',
      'NEW0001,Board,3,,,,9',
      [
        '该类型设备最多 8 条线路',
        'A device of this type has 8 lines at most',
        'У устройства этого типа не более 8 линий',
      ],
    ],
    [
      'lines',
      'NEW0001,Board,1,,,,two',
      [
        '该类型设备最多 1 条线路',
        'A device of this type has 1 lines at most',
        'У устройства этого типа не более 1 линий',
      ],
    ],
    [
      'expires_on',
      'NEW0001,Board,3,,,,,2027-02-30',
      ['日期无效', 'The date is not valid', 'Недопустимая дата'],
    ],
    [
      'expires_on',
      'NEW0001,Board,3,,,,,0000-01-01',
      ['日期无效', 'The date is not valid', 'Недопустимая дата'],
    ],
  ] as const)('%s: %s', async (field, text, sentences) => {
    for (const [index, language] of languages.entries()) {
      const { results } = await preview(text, language);
      expect(results.at(-1)).toMatchObject({ result: 'refused', field, message: sentences[index] });
    }
  });

  it('project: a user who may not leave a device unbound must name one of their own projects', async () => {
    const none = { result: 'refused', field: 'project', message: 'Choose a project' };
    expect((await preview('NEW0001,Board,3', 'en', regional)).results).toMatchObject([none]);
    expect((await preview('NEW0001,Board,3,Far away', 'en', regional)).results).toMatchObject([
      { result: 'refused', message: 'There is no project of this name' },
    ]);
    expect((await preview('NEW0001,Board,3,Harbour,North', 'en', regional)).results).toMatchObject([
      { result: 'done' },
    ]);
  });
});

describe('a list that cannot be read is refused with its reason', () => {
  it.each([
    ['', ['没有可导入的行', 'There are no rows to import', 'Нет строк для импорта']],
    [
      'name,type\nBoard,3',
      ['缺少设备编号列', 'The column with the device number is missing', 'Нет столбца с номером устройства'],
    ],
    [
      Array.from({ length: 1001 }, (_, n) => `MUCH${String(n).padStart(4, '0')},x,3`).join('\n'),
      ['一次最多导入 1000 行', 'At most 1000 rows at a time', 'Не более 1000 строк за раз'],
    ],
  ] as const)(
    'the unreadable list %# is refused with the right sentence in every language',
    async (text, sentences) => {
      for (const [index, language] of languages.entries())
        expect(
          await admin.call('/device/import', { text, preview: true }, { 'accept-language': language }),
        ).toMatchObject({ status: 422, data: { text: sentences[index] } });
    },
  );
});

it('the answer to a project of others does not tell which parts it has', async () => {
  const flawsOf = async (project_id: number, part: string) => {
    const text = `number,name,type,part\nNEW0001,Board,3,${part}`;
    const { data } = await regional.call('/device/import', { text, preview: true, project_id });
    return JSON.stringify(data.results).replaceAll(part, 'PART');
  };
  const missing = await flawsOf(farAway.id + 1_000_000, 'Hidden');
  expect(missing).toContain('part');
  expect(await flawsOf(farAway.id, 'Hidden')).toBe(missing);
  expect(await flawsOf(farAway.id, 'Nowhere')).toBe(missing);
});

it('a thousand rows are added at once, each with its own secret and lines', async () => {
  const text = Array.from(
    { length: 1000 },
    (_, n) => `BULK${String(n).padStart(4, '0')},"Board, ${n}",3,Harbour,North,Street ${n},2,2028-01-31`,
  );
  const { data } = await admin.call('/device/import', {
    text: ['number,name,type,project,part,address,lines,expires_on', ...text].join('\n'),
  });
  expect(data.added).toBe(1000);
  const secrets: string[] = data.results.map(({ secret }: { secret: string }) => secret);
  expect(new Set(secrets).size).toBe(1000);
  // Spreadsheets would take such a secret for a formula.
  expect(secrets.filter((secret) => /^[=+\-@]/.test(secret))).toEqual([]);
  const { rows } = await world.pool.query(
    `select count(distinct d.id) as devices, count(l.id) as lines, count(distinct s.device_id) as states
     from devices d left join lines l on l.device_id = d.id left join device_state s on s.device_id = d.id
     where d.number like 'BULK%' and d.expires_on = '2028-01-31' and d.part_id is not null and d.bound_at is not null`,
  );
  expect(rows).toEqual([{ devices: 1000, lines: 3000, states: 1000 }]);
  const { data: list } = await admin.call('/Device/get_device_list', { number: 'BULK0777' });
  expect(list.list).toMatchObject([{ name: 'Board, 777', address: 'Street 777', lines: 2 }]);
});

it('an exported list can be read again, and no device is added twice', async () => {
  const { response } = await admin.call('/Device/export', { number: 'BULK000' }, { 'accept-language': 'ru' });
  const answer = await sendDevices(world, admin, response.rawPayload, { preview: true });
  const { data } = answer;
  expect(data.results).toHaveLength(10);
  for (const row of data.results)
    expect(row).toMatchObject({
      result: 'refused',
      field: 'number',
      message: 'This device number exists already',
    });
});

it('a spreadsheet may hold numbers and dates as Excel writes them', async () => {
  const content = await writeXlsx({
    sheets: [
      {
        name: 'x',
        rows: [
          ['设备编号', '设备名称', '设备类型', '到期时间'],
          [43_000_001, 'Board', '智能单相开关', new Date('2027-05-01T00:00:00Z')],
        ],
      },
    ],
  });
  const answer = await sendDevices(world, admin, content);
  expect(answer.data.results).toMatchObject([{ number: '43000001', result: 'done' }]);
  const { data } = await admin.call('/Device/get_device_list', { number: '43000001' });
  expect(data.list).toMatchObject([{ type: 3, expires_on: '2027-05-01' }]);
});
