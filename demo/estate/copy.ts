import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const epoch2000Ms = 946_684_800_000;
const growBytes = 1 << 20;

/** Rows in PostgreSQL's binary COPY format, field by field in the order of the columns. */
export class CopyRows {
  #buffer = Buffer.allocUnsafe(growBytes);
  #at = signature.copy(this.#buffer);
  rows = 0;

  #room(bytes: number): number {
    if (this.#at + bytes > this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer], this.#buffer.length * 2);
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
  row(fields: number): this {
    this.rows += 1;
    const at = this.#room(2);
    this.#buffer.writeInt16BE(fields, at);
    return this;
  }
  none(): this {
    const at = this.#room(4);
    this.#buffer.writeInt32BE(-1, at);
    return this;
  }
  small(value: number | null): this {
    if (value === null) return this.none();
    const at = this.#room(6);
    this.#buffer.writeInt32BE(2, at);
    this.#buffer.writeInt16BE(value, at + 4);
    return this;
  }
  int(value: number): this {
    const at = this.#room(8);
    this.#buffer.writeInt32BE(4, at);
    this.#buffer.writeInt32BE(value, at + 4);
    return this;
  }
  big(value: number): this {
    const at = this.#room(12);
    const high = Math.floor(value / 4294967296);
    this.#buffer.writeInt32BE(8, at);
    this.#buffer.writeInt32BE(high, at + 4);
    this.#buffer.writeUInt32BE(value - high * 4294967296, at + 8);
    return this;
  }
  real(value: number): this {
    const at = this.#room(8);
    this.#buffer.writeInt32BE(4, at);
    this.#buffer.writeFloatBE(value, at + 4);
    return this;
  }
  double(value: number): this {
    const at = this.#room(12);
    this.#buffer.writeInt32BE(8, at);
    this.#buffer.writeDoubleBE(value, at + 4);
    return this;
  }
  /** A timestamptz from epoch ms. */
  instant(ms: number): this {
    return this.big((ms - epoch2000Ms) * 1000);
  }
  reals(values: readonly number[]): this {
    const at = this.#room(24 + values.length * 8);
    const buffer = this.#buffer;
    buffer.writeInt32BE(20 + values.length * 8, at);
    buffer.writeInt32BE(1, at + 4); // dimensions
    buffer.writeInt32BE(0, at + 8); // no nulls
    buffer.writeInt32BE(700, at + 12); // float4
    buffer.writeInt32BE(values.length, at + 16);
    buffer.writeInt32BE(1, at + 20); // lower bound
    for (let i = 0; i < values.length; i++) {
      buffer.writeInt32BE(4, at + 24 + i * 8);
      buffer.writeFloatBE(values[i]!, at + 28 + i * 8);
    }
    return this;
  }
  /** Copies the collected rows into `table` and empties the buffer. */
  async send(client: pg.ClientBase, table: string, columns: readonly string[]): Promise<void> {
    if (this.rows === 0) return;
    const at = this.#room(2);
    this.#buffer.writeInt16BE(-1, at);
    const bytes = this.#buffer.subarray(0, this.#at);
    const into = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin (format binary)`));
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 65_536) chunks.push(bytes.subarray(at, at + 65_536));
    await pipeline(Readable.from(chunks), into);
    this.#at = signature.length;
    this.rows = 0;
  }
}

/**
 * Inserts plain objects; all have the keys of the first one, which are the columns. Values are passed as
 * JSON.
 */
export const insertRows = async (
  client: pg.ClientBase,
  table: string,
  rows: readonly object[],
): Promise<void> => {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first).join(', ');
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
};
