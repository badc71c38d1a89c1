import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a PNG file. */
export const pngChunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
const header = pngChunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]));
const pixel = pngChunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0])));
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A valid one-pixel picture in a PNG file of exactly this many bytes. */
export const pngOf = (bytes: number): Buffer => {
  const bare = Buffer.concat([signature, header, pixel]);
  const end = pngChunk('IEND', Buffer.alloc(0));
  return Buffer.concat([
    bare,
    pngChunk('tEXt', Buffer.alloc(bytes - bare.length - end.length - 12, 'a')),
    end,
  ]);
};

const pictureHeader = (size: number): Buffer => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(size, 0);
  data.writeUInt32BE(size, 4);
  data.set([8, 2], 8);
  return pngChunk('IHDR', data);
};
/** A square picture; the function gives the colour for each column and row. */
export const pngOfColours = (
  size: number,
  colourAt: (column: number, row: number) => readonly [red: number, green: number, blue: number],
): Buffer => {
  const rows = Buffer.alloc(size * (1 + 3 * size));
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1)
      rows.set(colourAt(column, row), row * (1 + 3 * size) + 1 + 3 * column);
  return Buffer.concat([
    signature,
    pictureHeader(size),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
};
