import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);
const localHeader = Buffer.from('PK\x03\x04', 'latin1');
const headerBytes = 30;

/**
 * Whether the contents of a ZIP archive stay below `mostBytes` when unpacked, in at most `mostEntries`. Reads
 * the packed data wherever an entry begins and does not trust the sizes in the archive: a few hundred bytes
 * can unpack to gigabytes.
 */
export const unpacksWithin = async (
  archive: Uint8Array,
  { mostBytes, mostEntries }: { mostBytes: number; mostEntries: number },
): Promise<boolean> => {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  let left = mostBytes;
  let entries = 0;
  for (let at = bytes.indexOf(localHeader); at >= 0; at = bytes.indexOf(localHeader, at + 1)) {
    entries += 1;
    if (entries > mostEntries) return false;
    if (at + headerBytes > bytes.length) break;
    const begin = at + headerBytes + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const unpacked = await inflate(bytes.subarray(begin), { maxOutputLength: left }).then(
      ({ length }) => length,
      // Data that cannot be unpacked (not packed, or damaged) is refused by its reader.
      (error: unknown) => (isTooLarge(error) ? left + 1 : 0),
    );
    left -= unpacked;
    if (left <= 0) return false;
  }
  return true;
};
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
