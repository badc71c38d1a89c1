import { crc32, deflateSync } from 'node:zlib';

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
const header = chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]));
const pixel = chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0])));
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A sound picture of one point in a PNG file of exactly so many bytes. */
export const pngOf = (bytes: number): Buffer => {
  const bare = Buffer.concat([signature, header, pixel]);
  const end = chunk('IEND', Buffer.alloc(0));
  return Buffer.concat([bare, chunk('tEXt', Buffer.alloc(bytes - bare.length - end.length - 12, 'a')), end]);
};
