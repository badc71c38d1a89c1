/**
 * Stored readings of a line in order of time, read by binary COPY: a month would take too long as rows of
 * text.
 */
import { once } from 'node:events';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { flag } from '#server/core/reading-flags.ts';

export interface StoredReading {
  readonly at: number;
  readonly position: 0 | 1 | null;
  readonly trip: number | null;
  readonly flags: number;
  readonly channels: (number | null)[];
}

const headerBytes = 19;
/** The epoch of PostgreSQL's timestamps, in ms. */
const epochMs = Date.UTC(2000, 0, 1);
const thousandths = 1000;
/** A four-byte number as it was sent: 0.9, not 0.8999999761581421. */
const asSent = (value: number): number => {
  if (Number.isInteger(value)) return value;
  const rounded = Math.round(value * thousandths) / thousandths;
  return Math.fround(rounded) === value ? rounded : value;
};

const channelsAt = (bytes: DataView, start: number): (number | null)[] => {
  if (bytes.getInt32(start) === 0) return [];
  const size = bytes.getInt32(start + 12);
  const channels: (number | null)[] = new Array(size);
  let at = start + 20;
  for (let index = 0; index < size; index += 1) {
    const length = bytes.getInt32(at);
    at += 4;
    channels[index] = length < 0 ? null : asSent(bytes.getFloat32(at));
    if (length > 0) at += length;
  }
  return channels;
};

const absent = -1;
/**
 * End of the row that begins at `start`; 0: the row is incomplete. The stream ends with a row of -1 fields.
 */
const endOfRow = (bytes: DataView, start: number): number => {
  if (start + 2 > bytes.byteLength) return 0;
  let at = start + 2;
  for (let left = bytes.getInt16(start); left > 0; left -= 1) {
    if (at + 4 > bytes.byteLength) return 0;
    const length = bytes.getInt32(at);
    at += 4 + Math.max(0, length);
    if (at > bytes.byteLength) return 0;
  }
  return at;
};
/** Time, position, trip, flags and channels, in this order. */
const rowAt = (bytes: DataView, start: number): StoredReading => {
  let at = start + 2;
  const small = (): number | null => {
    const length = bytes.getInt32(at);
    at += 4 + Math.max(0, length);
    return length === absent ? null : bytes.getInt16(at - length);
  };
  // Microseconds, exact in a number until the year 2285.
  const time = epochMs + (bytes.getInt32(at + 4) * 2 ** 32 + bytes.getUint32(at + 8)) / 1000;
  at += 12;
  const [position, trip, flags] = [small(), small(), small()];
  return {
    at: time,
    position: position as 0 | 1 | null,
    trip,
    flags: flags ?? 0,
    channels: channelsAt(bytes, at + 4),
  };
};

/** Splits the stream into rows. */
export const createRowReader = (onRow: (row: StoredReading) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    if (!begun) {
      if (rest.length < headerBytes) return;
      begun = true;
      at = headerBytes;
    }
    // Many times faster than the methods of a Buffer.
    const bytes = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
    for (let end = endOfRow(bytes, at); end > 0; end = endOfRow(bytes, at)) {
      if (bytes.getInt16(at) > 0) onRow(rowAt(bytes, at));
      at = end;
    }
    rest = rest.subarray(at);
  };
};

/** Time limit of the server for one line's readings; it also ends a job that was given up. */
const longestMs = 60_000;

export interface StoredReadings {
  /** Readings that were judged live, in order of time; readings that arrived later are not included. */
  read(
    which: { lineId: number; since: number; until: number },
    onRow: (row: StoredReading) => void,
  ): Promise<void>;
  close(): Promise<void>;
}
export const openReadings = async (databaseUrl: string): Promise<StoredReadings> => {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'ampwatch what-if',
    options: `-c timezone=UTC -c statement_timeout=${longestMs}`,
  });
  await client.connect();
  return {
    async read({ lineId, since, until }, onRow) {
      const stream = client.query(
        copyTo(`copy (select at, position, trip, flags, channels from readings
          where line_id = ${Math.trunc(lineId)} and at > '${new Date(since).toISOString()}'
            and at <= '${new Date(until).toISOString()}' and coalesce(flags, 0) & ${flag.backfilled} = 0
          order by at) to stdout (format binary)`),
      );
      stream.on('data', createRowReader(onRow));
      await once(stream, 'end');
    },
    close: () => client.end(),
  };
};
