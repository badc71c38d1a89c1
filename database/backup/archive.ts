import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Manifest, manifestFile, volumesOf } from './manifest.ts';

const blockBytes = 512;
const field = (text: string, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.write(text, 'ascii');
  return bytes;
};
const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0');

/** Header of a file in a POSIX tar archive (ustar). */
const header = (name: string, bytes: number, at: number): Buffer => {
  const parts = (sum: string) =>
    Buffer.concat([
      field(name, 100),
      field('0000600', 8),
      field('0000000', 8),
      field('0000000', 8),
      field(octal(bytes, 12), 12),
      field(octal(Math.floor(at / 1000), 12), 12),
      field(sum, 8),
      field('0', 1),
      field('', 100),
      field('ustar\u000000', 8),
      field('', 247),
    ]);
  const sum = parts('        ').reduce((total, byte) => total + byte, 0);
  return parts(`${octal(sum, 7)}\0 `);
};

/**
 * The backup as one tar archive, read on demand. It can be unpacked into the folder of backups and restored.
 */
export async function* archiveOf(folder: string, manifest: Manifest): AsyncGenerator<Buffer> {
  const at = Date.parse(manifest.made_at);
  const files = [manifestFile, ...volumesOf(manifest).map(({ file }) => file)];
  for (const file of files) {
    const place = path.join(folder, file);
    const { size } = await stat(place);
    yield header(`${manifest.name}/${file}`, size, at);
    for await (const chunk of createReadStream(place, { highWaterMark: 1024 * 1024 })) yield chunk as Buffer;
    const rest = size % blockBytes;
    if (rest > 0) yield Buffer.alloc(blockBytes - rest);
  }
  yield Buffer.alloc(2 * blockBytes);
}
