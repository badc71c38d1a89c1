import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** Path inside the archive, with slashes. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
}
/** An entry that is completely written. */
export interface ZippedFile {
  readonly name: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

const version = 20;
/** The sizes follow the data; names are UTF-8. APPNOTE 4.4.4. */
const flags = 0x0808;
const deflated = 8;
/** The maximum of the format without its 64-bit extension. */
const mostBytes = 0xffff_ffff;
const mostEntries = 0xffff;

interface Place extends ZippedFile {
  packed: number;
  crc: number;
  at: number;
}

/** Date and time in the MS-DOS format, in UTC. */
const dosTime = (at: Date): { time: number; date: number } => ({
  time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
});

const localHeader = (name: Buffer, at: Date): Buffer => {
  const { time, date } = dosTime(at);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflated, 8);
  header.writeUInt16LE(time, 10);
  header.writeUInt16LE(date, 12);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
};
const descriptor = ({ crc, packed, bytes }: Pick<Place, 'crc' | 'packed' | 'bytes'>): Buffer => {
  const written = Buffer.alloc(16);
  written.writeUInt32LE(0x08074b50, 0);
  written.writeUInt32LE(crc, 4);
  written.writeUInt32LE(packed, 8);
  written.writeUInt32LE(bytes, 12);
  return written;
};
const directoryEntry = (place: Place, at: Date): Buffer => {
  const name = Buffer.from(place.name, 'utf8');
  const { time, date } = dosTime(at);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(version, 4);
  entry.writeUInt16LE(version, 6);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(deflated, 10);
  entry.writeUInt16LE(time, 12);
  entry.writeUInt16LE(date, 14);
  entry.writeUInt32LE(place.crc, 16);
  entry.writeUInt32LE(place.packed, 20);
  entry.writeUInt32LE(place.bytes, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt32LE(place.at, 42);
  return Buffer.concat([entry, name]);
};
const endOfDirectory = (entries: number, bytes: number, at: number): Buffer => {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(at, 16);
  return end;
};

/**
 * A ZIP archive that is written while its entries are read: memory does not grow with them. An entry is
 * requested after the previous ones are written, and `written` receives each, so that the last one can list
 * the others. At most 4 GB in total.
 */
export const zipped = async function* (
  entries: AsyncIterable<ZipEntry>,
  at: Date,
  written: (file: ZippedFile) => void = () => {},
): AsyncGenerator<Buffer> {
  const places: Place[] = [];
  let position = 0;
  const counted = (chunk: Buffer): Buffer => {
    position += chunk.length;
    if (position > mostBytes || places.length >= mostEntries)
      throw new RangeError('more than a ZIP archive holds');
    return chunk;
  };
  for await (const { name, content } of entries) {
    const begin = position;
    yield counted(localHeader(Buffer.from(name, 'utf8'), at));
    const hash = createHash('sha256');
    let crc = 0;
    let bytes = 0;
    const deflate = createDeflateRaw();
    const measured = async function* () {
      for await (const chunk of content) {
        const part = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
        hash.update(part);
        crc = crc32(part, crc);
        bytes += part.length;
        if (part.length > 0) yield part;
      }
    };
    const data = position;
    // An error on the way destroys `deflate`, which ends this loop too.
    pipeline(Readable.from(measured()), deflate, () => {});
    for await (const chunk of deflate as AsyncIterable<Buffer>) yield counted(chunk);
    const place = { name, bytes, sha256: hash.digest('hex'), packed: position - data, crc, at: begin };
    yield counted(descriptor(place));
    places.push(place);
    written({ name, bytes, sha256: place.sha256 });
  }
  const directoryAt = position;
  for (const place of places) yield counted(directoryEntry(place, at));
  yield endOfDirectory(places.length, position - directoryAt, directoryAt);
};
