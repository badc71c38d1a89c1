import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#contract/limits.ts';
import { makeUser } from '#test/factories.ts';
import { pngChunk, pngOf } from '#test/images.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { uploadRoutes } from './uploads.routes.ts';

let world: World;
let client: Client;
let origin: string;
beforeAll(async () => {
  world = await createWorld((serve) => uploadRoutes(serve));
  client = await world.as((await makeUser(world.db, { role: 3 })).id);
  world.app.server.on('connection', (socket: Socket) => sockets.add(socket));
  origin = await world.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => world.close());

/** Over a socket, where a body arrives in pieces. */
const send = async (content: Uint8Array, language = 'en') => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), 'x');
  const response = await fetch(`${origin}/upload/image`, {
    method: 'POST',
    body: form,
    headers: { authorization: client.token, 'accept-language': language },
  });
  const { msg, data } = (await response.json()) as { msg: string; data: Record<string, unknown> | null };
  return { status: response.status, msg, data };
};
const most = 2 * 1024 * 1024;
const sockets = new Set<Socket>();
/** Number of bytes received on the newest connection. */
const read = async () => [...sockets].at(-1)?.bytesRead ?? 0;

describe('the size of an image', () => {
  it('the size of an image is at most 2 MB, the last byte included', async () => {
    for (const bytes of [most - 1, most]) expect(await send(pngOf(bytes))).toMatchObject({ status: 200 });
  });
  it.each([
    ['zh', '图片大小不能超过 2 MB'],
    ['en', 'The image is larger than 2 MB'],
    ['ru', 'Изображение больше 2 МБ'],
  ])('refuses a larger image in %s, by one byte or by many', async (language, msg) => {
    for (const bytes of [most + 1, most + 70_000, 2 * most])
      expect(await send(pngOf(bytes), language)).toMatchObject({ status: 413, msg });
  });
});

it('an image one byte too large gets the same fault if the last byte arrives separately', async () => {
  const request = new Request(`${origin}/upload/image`, {
    method: 'POST',
    body: (() => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(pngOf(most + 1))]), 'x.png');
      return form;
    })(),
  });
  const body = Buffer.from(await request.arrayBuffer());
  const full = body.indexOf('PNG', 0, 'latin1') - 1 + most;
  const sent = http.request(`${origin}/upload/image`, {
    method: 'POST',
    headers: {
      authorization: client.token,
      'content-type': request.headers.get('content-type')!,
      'content-length': body.length,
    },
  });
  const answered = once(sent, 'response');
  sent.write(body.subarray(0, full));
  // Waits until the other side has read all of it.
  await eventually(async () => sent.writableLength === 0 && (await read()) > full);
  sent.end(body.subarray(full));
  const [response] = (await answered) as [http.IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(413);
});

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');

describe('an image that is not whole', () => {
  const jpeg = Buffer.from(
    `ffd8ffdb004300${'01'.repeat(64)}ffc0000b080001000101011100ffc40014100100000000000000000000000000000000ffda0008010100003f0000ffd9`,
    'hex',
  );
  const png = pngOf(500);
  it.each([
    ['image/png', png],
    ['image/gif', gif],
    ['image/webp', webp],
    ['image/jpeg', jpeg],
  ])('an image without its end is refused: %s', async (kind, whole) => {
    expect(await send(whole)).toMatchObject({ status: 200, data: { media_type: kind } });
    for (let bytes = 16; bytes < whole.length - 2; bytes += 13)
      expect([bytes, await send(whole.subarray(0, bytes))]).toMatchObject([
        bytes,
        { status: 422, data: { file: 'The image is damaged or incomplete: choose another file' } },
      ]);
  });
  it('an image is refused if a byte was changed in transit', async () => {
    const changed = Buffer.from(png);
    changed[50]! ^= 1;
    expect(await send(changed)).toMatchObject({
      status: 422,
      data: { file: 'The image is damaged or incomplete: choose another file' },
    });
  });
  it('an image is refused when it is empty, or when a script is in it', async () => {
    for (const content of ['', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'])
      expect((await send(Buffer.from(content))).data).toEqual({
        file: 'Upload a PNG, JPEG, GIF or WebP image',
      });
  });
});

describe('the contents of an image', () => {
  const exif = (orientation: number) => {
    const tiff = Buffer.alloc(80);
    tiff.write('II*\0', 'latin1');
    tiff.writeUInt32LE(8, 4);
    tiff.writeUInt16LE(1, 8);
    tiff.writeUInt16LE(0x0112, 10);
    tiff.writeUInt16LE(3, 12);
    tiff.writeUInt32LE(1, 14);
    tiff.writeUInt16LE(orientation, 18);
    tiff.write('GPS: here she lives', 40, 'latin1');
    const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
    return Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body]);
  };
  const bare = Buffer.from(
    `ffdb004300${'01'.repeat(64)}ffc0000b080001000101011100ffc40014100100000000000000000000000000000000ffda0008010100003f0000ffd9`,
    'hex',
  );
  const jpeg = (orientation: number) =>
    Buffer.concat([Buffer.from('ffd8', 'hex'), exif(orientation), bare, Buffer.from('GPS behind the end')]);
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, 8]), Buffer.from('GPS here'), Buffer.from([0])]);
  const gifWithComment = Buffer.concat([gif.subarray(0, -1), comment, gif.subarray(-1)]);
  const stored = async (content: Uint8Array) => {
    const { data } = await send(content);
    const response = await fetch(`${origin}/upload/get?id=${String(data?.['image_id'])}`, {
      headers: { authorization: client.token },
    });
    return Buffer.from(await response.arrayBuffer());
  };

  it('position and texts are removed from an image; picture and rotation stay', async () => {
    const turned = await stored(jpeg(6));
    expect(turned.includes('GPS')).toBe(false);
    expect(turned.includes(Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6]))).toBe(true);
    expect(turned.subarray(-bare.length)).toEqual(bare);
    expect(await stored(jpeg(1))).toEqual(Buffer.concat([Buffer.from('ffd8', 'hex'), bare]));
    expect((await stored(pngOf(900))).includes('tEXt')).toBe(false);
    expect(await stored(gifWithComment)).toEqual(gif);
  });

  const script = '<script>alert(1)</script>PK\x03\x04';
  const text = Buffer.from(script, 'latin1');
  const segment = (code: number, body: Buffer) =>
    Buffer.concat([Buffer.from([0xff, code, 0, body.length + 2]), body]);
  const jpegWith = (...more: Buffer[]) => Buffer.concat([Buffer.from('ffd8', 'hex'), ...more, bare]);
  const pngWith = (type: string) => {
    const png = pngOf(500);
    return Buffer.concat([png.subarray(0, 33), pngChunk(type, text), png.subarray(33)]);
  };
  const gifWith = (...block: (number | string)[]) =>
    Buffer.concat([
      gif.subarray(0, 19),
      ...block.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))),
      gif.subarray(19),
    ]);
  it.each<[string, Buffer]>([
    ['PNG, archive behind the end', Buffer.concat([pngOf(500), text])],
    ['PNG, chunk of a known name', pngWith('gAMA')],
    ['PNG, chunk of a palette', pngWith('PLTE')],
    ['PNG, chunk of a stranger', pngWith('scRp')],
    ['JPEG, page behind the end', Buffer.concat([jpegWith(), text])],
    ['JPEG, comment', jpegWith(segment(0xfe, text))],
    [
      'JPEG, first segment of an application',
      jpegWith(segment(0xe0, Buffer.concat([Buffer.from('JFIF\0'), text]))),
    ],
    ['JPEG, profile that is none', jpegWith(segment(0xe2, text))],
    [
      'JPEG, segment of Adobe',
      jpegWith(segment(0xee, Buffer.concat([Buffer.from('Adobe'), Buffer.alloc(7), text]))),
    ],
    ['JPEG, segment without a meaning', jpegWith(segment(0xf4, text))],
    ['GIF, script behind the end', Buffer.concat([gif, text])],
    ['GIF, comment', gifWith(0x21, 0xfe, script.length, script, 0)],
    ['GIF, behind a loop', gifWith(0x21, 0xff, 11, 'NETSCAPE2.0', 3, 1, 0, 0, script.length, script, 0)],
    ['GIF, behind the delay of a picture', gifWith(0x21, 0xf9, 4, 0, 0, 0, 0, script.length, script, 0)],
    ['WebP, page behind the end', Buffer.concat([webp, text])],
  ])('nothing but a picture is kept, and it is never a page: %s', async (_what, content) => {
    const { status, data } = await send(content);
    expect(status).toBe(200);
    const answer = await fetch(`${origin}/upload/get?id=${String(data?.['image_id'])}`, {
      headers: { authorization: client.token },
    });
    expect(answer.headers.get('content-type')).toMatch(/^image\/(png|jpeg|gif|webp)$/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(30);
    expect(bytes.includes('<script') || bytes.includes('PK\x03\x04')).toBe(false);
    expect((await send(bytes)).data).toMatchObject({ bytes: bytes.length });
  });

  it('a picture within a GIF must not be larger than browsers can show', async () => {
    const at = gif.indexOf(0x2c);
    const flood = Buffer.from(gif);
    flood.writeUInt16LE(60_000, at + 5);
    flood.writeUInt16LE(60_000, at + 7);
    expect((await send(flood)).data).toMatchObject({ file: expect.stringContaining('16,384 pixels a side') });
  });

  it('an image must not unpack to more pixels than browsers can show', async () => {
    const huge = Buffer.from(pngOf(500));
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    huge.writeUInt32BE(crc32(huge.subarray(12, 29)), 29);
    expect(await send(huge)).toMatchObject({
      status: 422,
      data: { file: expect.stringContaining('16,384 pixels a side') },
    });
  });

  it('an image counts towards a quota of the user', async () => {
    const { id } = await makeUser(world.db, { role: 3 });
    await world.db
      .insertInto('uploads')
      .values({
        id: crypto.randomUUID(),
        media_type: 'image/png',
        bytes: limits.uploadsOfUserBytes - 10,
        sha256: Buffer.alloc(32),
        content: Buffer.alloc(0),
        created_by: id,
        created_at: new Date(),
      })
      .execute();
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(gif)]), 'x.gif');
    const response = await fetch(`${origin}/upload/image`, {
      method: 'POST',
      body: form,
      headers: { authorization: (await world.as(id)).token, 'accept-language': 'en' },
    });
    expect([response.status, ((await response.json()) as { msg: string }).msg]).toEqual([
      413,
      'The space for images is used up; ask an administrator',
    ]);
  });
});
