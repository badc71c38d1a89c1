import { writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { pngOf } from '#test/images.ts';
import { createSettingsWorld, type SettingsWorld } from '#test/settings-world.ts';
import type { Answer, Client } from '#test/world.ts';

let world: SettingsWorld;
let admin: Client;
let keeper: Client;
let project: number;
let other: number;
let device: Awaited<ReturnType<typeof makeDevice>>;
const english = { 'accept-language': 'en' };
beforeAll(async () => {
  world = await createSettingsWorld();
  project = (await makeProject(world.db, { name: 'Harbour' })).id;
  other = (await makeProject(world.db, { name: 'Mill' })).id;
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  keeper = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id);
});
beforeEach(async () => {
  device = await makeDevice(world.db, { project_id: project });
});
afterAll(() => world.close());
const revisionOf = async (id = device.id) =>
  (await admin.call('/device/get_device_info_set', { device_id: id })).data.revision as number;

describe('editing a device', () => {
  it('changes the given fields; the second editor is shown the present values and who set them', async () => {
    const revision = await revisionOf();
    const edit = (body: object) =>
      admin.call('/Device/change_device', { device_id: device.id, revision, ...body });
    expect(await edit({ name: 'Pump house', expires_on: '2027-01-31' })).toMatchObject({
      data: { device_id: device.id, revision: revision + 1 },
    });
    expect(await edit({ name: 'Other' })).toMatchObject({
      status: 409,
      data: {
        revision: revision + 1,
        current: { name: 'Pump house', expires_on: '2027-01-31' },
        operator: expect.any(String),
      },
    });
    expect(
      (
        await admin.call(
          '/Device/change_device',
          { device_id: device.id, revision, name: ' ', expires_on: '31.1.2027' },
          english,
        )
      ).data,
    ).toEqual({ name: 'Enter the device name (60 characters at most)', expires_on: 'The date is not valid' });
  });

  it('a user moves a device between projects only if they see both', async () => {
    const revision = await revisionOf();
    const move = (client: Client, project_id: number | null) =>
      client.call('/Device/change_device', { device_id: device.id, revision, project_id });
    expect((await move(keeper, other)).status).toBe(404);
    expect((await move(keeper, null)).status).toBe(422);
    expect((await move(admin, other)).status).toBe(200);
    expect((await keeper.call('/device/get_device_info_set', { device_id: device.id })).status).toBe(404);
  });

  it('accepts three contacts with 11-digit phones and names of 2 to 60 characters', async () => {
    const revision = await revisionOf();
    const edit = (contacts: object[]) =>
      admin.call('/device/edit_contact', { device_id: device.id, revision, contacts }, english);
    expect((await edit([{ name: 'X', phone: '123' }])).data).toEqual({
      'contacts.0.name': 'A name has 2 to 60 characters, in Chinese 2 to 7',
      'contacts.0.phone': 'The phone number has 11 digits',
    });
    const many = Array.from({ length: 4 }, () => ({ name: '王小明', phone: '13800000000' }));
    expect((await edit(many)).data).toEqual({ contacts: 'Three contacts at most' });
    expect((await edit([many[0]!, { name: '', phone: '' }])).data.contacts).toEqual([many[0]]);
  });

  it('accepts an ICCID of 19 or 20 characters that no other device has', async () => {
    const change = async (id: number, iccid: string) =>
      admin.call('/device/change_ICCID', { device_id: id, revision: await revisionOf(id), iccid });
    expect((await change(device.id, '123')).data).toEqual({ iccid: 'ICCID 为 19 或 20 位' });
    expect((await change(device.id, '89860000000000000017')).status).toBe(200);
    const second = await makeDevice(world.db, { project_id: project });
    expect((await change(second.id, '89860000000000000017')).status).toBe(409);
    for (let card = 10; card < 20; card++) {
      const both = [device.id, second.id].map((id) => change(id, `898600000000000001${card}`));
      const answers = (await Promise.all(both)).map(({ status }) => status).sort();
      expect(answers).toEqual([200, 409]);
    }
    expect((await change(device.id, '89860000000000000017')).status).toBe(200);
    expect(
      (await admin.call('/device_info/get_device_info', { iccid: '89860000000000000017' })).data.device_id,
    ).toBe(device.id);
    expect((await admin.call('/device_info/get_list', { keyword: '00000017' })).data.list).toHaveLength(1);
  });

  it('deletes a device: gone from lists, its number free, its history kept', async () => {
    const line = device.lines[0]!;
    await world.db.insertInto('rollup_dirty').values({ line_id: line.id, hour: new Date() }).execute();
    const gone = await admin.call('/device/del_device', { device_ids: [device.id, 999_999] });
    expect(gone.data.results).toMatchObject([{ result: 'done' }, { result: 'denied' }]);
    expect((await admin.call('/device/get_device_detail', { device_id: device.id })).status).toBe(404);
    expect((await admin.call('/Device/get_device_list', { number: device.number })).data.total).toBe(0);
    expect((await admin.call('/device_line/get_list', { device_id: device.id })).status).toBe(404);
    const again = await admin.call('/device/add_device', { number: device.number, name: 'Again', type: 3 });
    expect(again.status).toBe(200);
    expect(await world.db.selectFrom('lines').select('id').where('id', '=', line.id).execute()).toHaveLength(
      1,
    );
    expect((await admin.call('/device/del_device', { device_ids: [] }, english)).data).toEqual({
      device_ids: 'Choose a device',
    });
  });

  it('editing binds many devices and changes their expiry, each with a result', async () => {
    const mill = (await makeProject(world.db)).id;
    const part = await makePart(world.db, mill);
    const loose = await makeDevice(world.db);
    const body = { project_id: mill, part_id: part.id, device_ids: [device.id, loose.id] };
    expect((await keeper.call('/Project/bind_device', body)).status).toBe(404);
    expect(
      (await keeper.call('/Project/bind_device', { project_id: project, device_ids: [loose.id, device.id] }))
        .data.results,
    ).toMatchObject([
      { id: loose.id, result: 'denied' },
      { id: device.id, result: 'skipped' },
    ]);
    expect((await admin.call('/Project/bind_device', body)).data.results).toMatchObject([
      { result: 'done' },
      { result: 'done' },
    ]);
    expect((await admin.call('/Project/bind_device', { device_ids: [device.id] }, english)).data).toEqual({
      project_id: 'Choose a project',
    });
    await admin.call('/device/change_expiry', {
      device_ids: [device.id, loose.id],
      expires_on: '2026-12-01',
    });
    const patrol = await admin.call('/device_patrol/get_device_list', {
      project_id: mill,
      reason: 'expiring',
    });
    expect(patrol.data).toMatchObject({ total: 2, counts: { expiring: 2, never_seen: 2 } });
    expect(patrol.data.list[0].reasons).toContainEqual({ reason: 'expiring', value: 11 });
  });
});

describe('patrol', () => {
  it('names the problem of a device', async () => {
    const site = (await makeProject(world.db)).id;
    const hours = (n: number) => new Date(world.clock.now() - n * 3_600_000);
    const fine = await makeDevice(world.db, { project_id: site, online: true, last_seen: hours(0) });
    const bad = await makeDevice(world.db, { project_id: site, last_seen: hours(50) });
    await world.db
      .updateTable('device_state')
      .set({
        rssi: -110,
        skew_ms: 90_000,
        refused: JSON.stringify({ bad_json: 4, too_large: 1 }),
        refused_last: JSON.stringify({
          reason: 'bad_json',
          at: hours(1).toISOString(),
          topic: 't',
          excerpt: '',
        }),
      })
      .where('device_id', '=', bad.id)
      .execute();
    const { data } = await admin.call('/device_patrol/get_device_list', { project_id: site });
    expect(data.list.map((row: { device_id: number }) => row.device_id)).toEqual([bad.id]);
    expect(data.list[0].reasons).toEqual([
      { reason: 'offline_long', value: 50 },
      { reason: 'weak_signal', value: -110 },
      { reason: 'clock_wrong', value: 90 },
      { reason: 'refused', value: 5 },
    ]);
    expect(fine.id).not.toBe(bad.id);
  });
});

describe('the expiry of a device', () => {
  it('the expiry of a device counts by the date in the time zone of its project', async () => {
    const site = (await makeProject(world.db)).id;
    const { id } = await makeDevice(world.db, { project_id: site, online: true });
    await admin.call('/device/change_expiry', { device_ids: [id], expires_on: '2027-01-31' });
    const reasons = async (at: string) => {
      const now = Date.parse(at);
      world.clock.set(now);
      await world.db
        .updateTable('device_state')
        .set({ last_seen: new Date(now) })
        .execute();
      const { token } = await world.as(admin.userId);
      const { data } = await world.call(
        '/device_patrol/get_device_list',
        { project_id: site },
        { authorization: token },
      );
      return data.list[0].reasons;
    };
    expect(await reasons('2027-01-30T17:00:00Z')).toEqual([{ reason: 'expiring', value: 0 }]);
    expect(await reasons('2027-01-31T15:59:00Z')).toEqual([{ reason: 'expiring', value: 0 }]);
    expect(await reasons('2027-01-31T16:01:00Z')).toEqual([{ reason: 'expired', value: -1 }]);
    admin = await world.as(admin.userId);
    keeper = await world.as(keeper.userId);
  });
});

describe('a line', () => {
  it('a line can be renamed to any name that is not empty', async () => {
    const line = device.lines[0]!;
    const rename = (body: object, client = admin) =>
      client.call('/device/change_device_line', { line_id: line.id, ...body }, english);
    expect((await rename({ old_name: 'Line 1', name: ' ' })).data).toEqual({
      name: 'The line name is required (60 characters at most)',
    });
    expect((await rename({ old_name: 'Line 1', name: 'Line 1' })).data).toEqual({
      name: 'The new name must differ from the old one',
    });
    for (const old_name of ['Nope', undefined])
      expect((await rename({ old_name, name: 'Oven' })).data).toEqual({
        old_name: 'The old name must match the list',
      });
    expect((await rename({ old_name: 'Line 1', name: 'Oven', revision: 1 })).data).toMatchObject({
      name: 'Oven',
      revision: 2,
    });
    expect(await rename({ name: 'Other', revision: 1 })).toMatchObject({
      status: 409,
      data: { current: { name: 'Oven' } },
    });
    expect((await rename({ critical: true }, keeper)).status).toBe(403);
    expect((await rename({ critical: true, thresholds: { il_a: 100, tm_a: null } })).status).toBe(200);
    expect(
      (await admin.call('/device_line/get_device_line_details', { line_id: line.id })).data,
    ).toMatchObject({
      critical: true,
      thresholds: { il_a: 100 },
    });
    expect((await rename({ thresholds: { il_a: 5, nope: 1 } })).data).toEqual({
      'thresholds.il_a': 'The value is out of its range',
      'thresholds.nope': 'There is no such parameter',
    });
  });
});

const multipart = async (
  client: Client,
  path: string,
  fields: Record<string, string | { name: string; content: Uint8Array }>,
): Promise<Answer> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value.content)]), value.name);
  const request = new Request('http://x', { method: 'POST', body: form });
  const response = await world.app.inject({
    method: 'POST',
    url: path,
    payload: Buffer.from(await request.arrayBuffer()),
    headers: {
      'content-type': request.headers.get('content-type')!,
      authorization: client.token,
      ...english,
    },
  });
  const answer = response.json<Pick<Answer, 'code' | 'msg' | 'data'>>();
  return { ...answer, status: response.statusCode, response };
};

describe('many devices', () => {
  it('many devices are added from pasted text, each row by itself, after a preview', async () => {
    const text =
      'Device number\tDevice name\tDevice type\tProject\nPASTE001\tOne\t3\tHarbour\nbad\tTwo\t3\t\nPASTE001\tThree\t4\t\nPASTE002\tFour\tSmart three-phase switch\tMill\nPASTE003\tFive\t9\t\nPASTE004\tSix\t3\tNowhere';
    const preview = await admin.call('/device/import', { text, preview: true }, english);
    expect(preview.data).toMatchObject({ preview: true, added: 0 });
    const answer = await admin.call('/device/import', { text }, english);
    expect(
      answer.data.results.map((row: Record<string, unknown>) => [
        row['row'],
        row['result'],
        row['field'],
        row['message'],
      ]),
    ).toEqual([
      [2, 'done', null, null],
      [3, 'refused', 'number', 'A device number has 6 to 32 letters, digits, _ or -'],
      [4, 'refused', 'number', 'The device number occurs twice in the list'],
      [5, 'done', null, null],
      [6, 'refused', 'type', 'A device type is 1 to 7 or its name'],
      [7, 'refused', 'project', 'There is no project of this name'],
    ]);
    expect(answer.data.results[0].secret).toMatch(/^.{43}$/);
    const log = await world.db
      .selectFrom('operation_log')
      .select('parameters')
      .where('key', '=', 'device.import')
      .execute();
    expect(JSON.stringify(log)).not.toContain(answer.data.results[0].secret);
  });

  it('many devices are added from an .xlsx', async () => {
    const content = await writeXlsx({
      sheets: [
        {
          name: 'x',
          rows: [
            ['number', 'name', 'type', 'lines', 'expires_on'],
            ['SHEET001', 'A', 3, 4, '2027-05-01'],
            ['SHEET002', 'B', 3, 9, ''],
          ],
        },
      ],
    });
    const answer = await multipart(admin, '/device/import', {
      file: { name: 'a.xlsx', content },
      project_id: String(project),
    });
    expect(answer.data.results).toMatchObject([
      { row: 2, result: 'done', number: 'SHEET001' },
      { row: 3, result: 'refused', field: 'lines', message: 'A device of this type has 8 lines at most' },
    ]);
    const made = await admin.call('/Device/get_device_list', { number: 'SHEET001' });
    expect(made.data.list[0]).toMatchObject({ lines: 4, project_id: project, expires_on: '2027-05-01' });
    expect(
      await multipart(admin, '/device/import', {
        file: { name: 'a.xlsx', content: Buffer.from('no sheet') },
      }),
    ).toMatchObject({
      status: 422,
      data: { file: 'The file cannot be read; use .xlsx' },
    });
  });

  it('a file that would fill the memory is not unpacked', async () => {
    const content = await writeXlsx({
      stringMode: 'inline',
      sheets: [{ name: 'x', rows: Array.from({ length: 1000 }, (_, n) => [`${n}${'a'.repeat(32_000)}`]) }],
    });
    expect(content.length).toBeLessThan(1_000_000);
    expect(await multipart(admin, '/device/import', { file: { name: 'a.xlsx', content } })).toMatchObject({
      status: 422,
      data: { file: 'The file cannot be read; use .xlsx' },
    });
  });
});

describe('an image', () => {
  const png = pngOf(1000);
  const get = (client: Client, id: string, headers: object = {}) =>
    world.app.inject({ url: `/upload/get?id=${id}`, headers: { authorization: client.token, ...headers } });

  it('an image has the type that its bytes show, and is seen by its uploader and by users who see the device', async () => {
    const made = await multipart(admin, '/upload/image', { file: { name: 'x', content: png } });
    expect(made.data).toMatchObject({ media_type: 'image/png' });
    expect(made.data.bytes).toBeLessThan(png.length);
    const id = made.data.image_id as string;
    expect((await get(keeper, id)).statusCode).toBe(404);
    await admin.call('/device/change_image', {
      device_id: device.id,
      revision: await revisionOf(),
      image_id: id,
    });
    const seen = await get(keeper, id);
    // The picture itself; the text chunk after it was removed.
    expect(seen.rawPayload.subarray(0, 33).equals(png.subarray(0, 33))).toBe(true);
    expect(seen.rawPayload).toHaveLength(made.data.bytes);
    expect(seen.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': expect.stringContaining('immutable'),
    });
    expect((await get(keeper, id, { 'if-none-match': seen.headers['etag'] })).statusCode).toBe(304);
    expect(
      (
        await keeper.call('/device/change_image', {
          device_id: device.id,
          revision: await revisionOf(),
          image_id: crypto.randomUUID(),
        })
      ).status,
    ).toBe(422);
  });
  it('an image is refused if the file is not an image, or is larger than 2 MB', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    expect(await multipart(admin, '/upload/image', { file: { name: 'x.png', content: svg } })).toMatchObject({
      status: 422,
      data: { file: 'Upload a PNG, JPEG, GIF or WebP image' },
    });
    const large = Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]);
    expect(
      await multipart(admin, '/upload/image', { file: { name: 'x.png', content: large } }),
    ).toMatchObject({
      status: 413,
      msg: 'The image is larger than 2 MB',
    });
    expect((await admin.call('/upload/image', {}, english)).data).toEqual({ file: 'Choose a file' });
  });
});
