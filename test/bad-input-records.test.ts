/** What people and records refuse, and the reason that each language gives for it. */
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { pngOf } from './images.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

let world: World;
let admin: Client;
let top: number;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  expect((await admin.call('/sign_user/confirm_password', { password: testPassword })).status).toBe(200);
  top = (await world.db.selectFrom('roles').select('id').where('code', '=', 1).executeTakeFirstOrThrow()).id;
});
afterAll(() => world.close());

const inEach = async (
  body: (language: Language, said: (code: FaultCode, with_?: object) => string) => unknown,
) => {
  for (const language of languages)
    await body(language, (code, given = {}) => sentence(code, language, given as Record<string, string>));
};
const by = (client: Client, language: Language) => (path: string, body: object) =>
  client.call(path, body, { 'accept-language': language });

const addRole = async (name: string, parent_id = top): Promise<number> =>
  (await admin.call('/role/add', { name, description: name, parent_id, letters: ['A'] })).data.role_id;

describe('a role', () => {
  test('a role in use cannot be deleted, and the refusal names its users', async () => {
    const role_id = await addRole('Night watch');
    await addRole('Trainee', role_id);
    const { id } = await makeUser(world.db, { role: 1, nickname: 'Zhao Lei' });
    await world.db.updateTable('users').set({ role_id }).where('id', '=', id).execute();
    await inEach(async (language, said) =>
      expect(await by(admin, language)('/role/delete', { role_id })).toMatchObject({
        status: 409,
        msg: said('role.inUse', { by: 'Zhao Lei, Trainee' }),
      }),
    );
  });

  test('a role cannot be its own parent, nor have a parent that is below it', async () => {
    const role_id = await addRole('Shift');
    const below = await addRole('Group', role_id);
    const farBelow = await addRole('Worker', below);
    for (const parent_id of [role_id, below, farBelow])
      await inEach(async (language, said) =>
        expect(await by(admin, language)('/role/edit', { role_id, parent_id })).toMatchObject({
          status: 422,
          msg: said('request.invalid'),
          data: { parent_id: said('role.loop') },
        }),
      );
  });
});

test('a category in use is not deleted', async () => {
  const { data: image } = await send(pngOf(600), 'pump.png', 'en-US');
  const { data } = await admin.call('/category/add', { name: 'Pumps', icon_id: image['image_id'] });
  const device = await makeDevice(world.db);
  await world.db.updateTable('devices').set({ category_id: data.id }).where('id', '=', device.id).execute();
  await inEach(async (language, said) =>
    expect((await by(admin, language)('/category/del', { ids: [data.id, 9999] })).data.results).toEqual([
      { id: data.id, result: 'skipped', reason: 'used', message: said('category.used') },
      { id: 9999, result: 'skipped', reason: 'missing', message: said('category.missing') },
    ]),
  );
});

describe('an account', () => {
  /** Every call that would end the account or take its rights. */
  const ways = (client: Client, role_id: number, project_id: number) =>
    [
      ['/user/delete', { ids: [client.userId] }],
      ['/user/set_status', { user_id: client.userId, enabled: false }],
      ['/user/edit', { user_id: client.userId, role_id, project_id }],
    ] as const;
  const isRefused = async (client: Client, code: 'user.self' | 'user.lastAdmin') => {
    const project = await makeProject(world.db);
    const role_id = await addRole(`For ${code}`);
    for (const [path, body] of ways(client, role_id, project.id))
      await inEach(async (language, said) => {
        const { status, msg, data } = await by(client, language)(path, body);
        if (path === '/user/delete')
          expect(data).toMatchObject({
            done: 0,
            results: [{ id: client.userId, result: 'denied', reason: said(code) }],
          });
        else expect({ path, status, msg }).toEqual({ path, status: 409, msg: said(code) });
      });
    const left = await client.call('/user/detail', { user_id: client.userId });
    expect(left.data.user).toMatchObject({ role: 1, status: 'enabled' });
  };

  test('the account of the last administrator cannot be deleted: another one has to be added first', () =>
    isRefused(admin, 'user.lastAdmin'));

  test('a user cannot delete their own account, although there is another administrator', async () => {
    await makeUser(world.db, { role: 1 });
    await isRefused(admin, 'user.self');
  });
});

test.each(['line', 'device', 'project'] as const)(
  'a project under a lock-out tag on its %s is not deleted',
  async (on) => {
    const project = await makeProject(world.db);
    const device = await makeDevice(world.db, { project_id: project.id });
    const places = {
      line: { line_id: device.lines[0]!.id },
      device: { device_id: device.id },
      project: { project_id: project.id },
    };
    const tagged = await admin.call('/lockout_tag/add_tag', { ...places[on], reason: 'Work on the busbar' });
    expect(tagged.status).toBe(200);
    await inEach(async (language, said) =>
      expect(
        (await by(admin, language)('/Project/delete_project', { project_ids: [project.id], devices: 1 })).data
          .results,
      ).toEqual([
        { id: project.id, result: 'skipped', reason: 'project.tagged', message: said('project.tagged') },
      ]),
    );
    const { data } = await admin.call('/Project/get_project_list', { project_name: project.name });
    expect(data.list[0]).toMatchObject({ project_id: project.id });
  },
);

const send = async (content: Uint8Array, name: string, language: Language) => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), name);
  const request = new Request('http://localhost/upload/image', { method: 'POST', body: form });
  const response = await world.app.inject({
    ...{ method: 'POST', url: '/upload/image', payload: Buffer.from(await request.arrayBuffer()) },
    headers: {
      authorization: admin.token,
      'accept-language': language,
      'content-type': request.headers.get('content-type')!,
    },
  });
  const { msg, data } = response.json<{ msg: string; data: Record<string, unknown> }>();
  return { status: response.statusCode, msg, data };
};
const isRefusedFile = async (content: Uint8Array, name: string, code: FaultCode, given: object = {}) =>
  inEach(async (language, said) => {
    expect({ name, ...(await send(content, name, language)) }).toEqual({
      ...{ name, status: 422, msg: said('request.invalid') },
      data: { file: said(code, given) },
    });
  });

describe('an image', () => {
  const png = pngOf(600);
  /** The same picture with another size in its header: few bytes, many pixels. */
  const flood = (width: number, height: number) => {
    const picture = Buffer.from(png);
    picture.writeUInt32BE(width, 16);
    picture.writeUInt32BE(height, 20);
    picture.writeUInt32BE(crc32(picture.subarray(12, 29)), 29);
    return picture;
  };
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  test.each([
    ['a text', 'photo.png', Buffer.from('This is no image')],
    ['an empty file', 'photo.png', Buffer.alloc(0)],
    ['a PDF', 'photo.jpg', Buffer.from('%PDF-1.7\n1 0 obj')],
    ['a program', 'photo.gif', Buffer.from('MZ\x90\0\x03', 'latin1')],
    ['an SVG', 'icon.svg', Buffer.from(svg)],
    ['an SVG with the name of a PNG', 'icon.png', Buffer.from(svg)],
    ['an SVG with a declaration', 'icon.svg', Buffer.from(`<?xml version="1.0"?>${svg}`)],
    ['a TIFF', 'photo.tif', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
  ])('an image that is %s is refused', (_, name, content) => isRefusedFile(content, name, 'upload.notImage'));

  test('an image that is cut off or changed in transit is refused', async () => {
    const changed = Buffer.from(png);
    changed[100]! ^= 1;
    for (const content of [png.subarray(0, 300), changed])
      await isRefusedFile(content, 'photo.png', 'upload.broken');
  });

  test.each([
    [60_000, 60_000],
    [16_385, 1],
    [1, 16_385],
    [10_001, 10_000],
  ])('an image of %i × %i pixels is refused', (width, height) =>
    isRefusedFile(flood(width, height), 'photo.png', 'upload.dimensions'),
  );
  test.each([
    [16_384, 1],
    [10_000, 10_000],
  ])('an image of %i × %i pixels is stored', async (width, height) =>
    expect(await send(flood(width, height), 'photo.png', 'en-US')).toMatchObject({ status: 200 }),
  );

  test.each(['exe', 'svg', 'html', 'jpg', 'gif', 'webp', 'heic'])(
    'an image is refused if its name ends in .%s and its content is of another type',
    (extension) => isRefusedFile(png, `photo.${extension}`, 'upload.extension', { kind: 'PNG', extension }),
  );
  test.each(['photo.png', 'PHOTO.PNG', 'photo', 'blob', '2026.11.23', 'photo.jpg.png', '.png'])(
    'an image called %s is stored',
    async (name) => expect(await send(png, name, 'en-US')).toMatchObject({ status: 200 }),
  );

  test('an image of more than 2 MB is refused', async () =>
    inEach(async (language, said) =>
      expect(await send(pngOf(2 * 1024 * 1024 + 1), 'photo.png', language)).toMatchObject({
        status: 413,
        msg: said('upload.tooLarge'),
      }),
    ));
});
