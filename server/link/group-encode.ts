import type { Row } from './tele.ts';

const epoch2000 = 946_684_800_000;
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const oid = { int2: 21, int4: 23, int8: 20, float4: 700, float8: 701, float4Array: 1021, timestamptz: 1184 };

/** PostgreSQL's binary format, written into one growing buffer. */
class WireBuffer {
  #bytes = Buffer.allocUnsafeSlow(256 * 1024);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  reserve(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + bytes));
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
  raw(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.#bytes, this.length);
  }
  int16(value: number): void {
    this.#view.setInt16(this.length, value);
    this.length += 2;
  }
  int32(value: number): void {
    this.#view.setInt32(this.length, value);
    this.length += 4;
  }
  setInt32(at: number, value: number): void {
    this.#view.setInt32(at, value);
  }
  int64(value: number): void {
    const high = Math.floor(value / 4_294_967_296);
    this.#view.setInt32(this.length, high);
    this.#view.setUint32(this.length + 4, value - high * 4_294_967_296);
    this.length += 8;
  }
  float32(value: number): void {
    this.#view.setFloat32(this.length, value);
    this.length += 4;
  }
  float64(value: number): void {
    this.#view.setFloat64(this.length, value);
    this.length += 8;
  }
  take(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

const fieldInt16 = (out: WireBuffer, value: number | null) => {
  if (value === null) return out.int32(-1);
  out.int32(2);
  out.int16(value);
};
const fieldInt32 = (out: WireBuffer, value: number) => {
  out.int32(4);
  out.int32(value);
};
const fieldInt64 = (out: WireBuffer, value: number | null) => {
  if (value === null) return out.int32(-1);
  out.int32(8);
  out.int64(value);
};
const fieldTime = (out: WireBuffer, ms: number) => {
  out.int32(8);
  out.int64((ms - epoch2000) * 1000);
};
const fieldFloat64 = (out: WireBuffer, value: number | null) => {
  if (value === null) return out.int32(-1);
  out.int32(8);
  out.float64(value);
};
const fieldChannels = (out: WireBuffer, channels: readonly (number | null)[]) => {
  let count = channels.length;
  while (count > 0 && channels[count - 1] === null) count -= 1;
  const start = out.length;
  out.length += 4;
  out.int32(count === 0 ? 0 : 1);
  const nulls = out.length;
  out.int32(0);
  out.int32(oid.float4);
  if (count > 0) {
    out.int32(count);
    out.int32(1);
    let missing = 0;
    for (let index = 0; index < count; index += 1) {
      const value = channels[index]!;
      if (value === null) {
        missing = 1;
        out.int32(-1);
      } else {
        out.int32(4);
        out.float32(value);
      }
    }
    out.setInt32(nulls, missing);
  }
  out.setInt32(start, out.length - start - 4);
};

const fixedBytes = 256;
const copyBuffer = new WireBuffer();
const reportBuffer = new WireBuffer();

export const readingColumns =
  'line_id, at, boot, seq, sent_ms, rx_ms, position, trip, lock, flags, energy, channels';

/** Rows as COPY binary. The buffer is valid until the next call: one group is written at a time. */
export const encodeReadings = (rows: readonly Row[]): Buffer => {
  const out = copyBuffer;
  out.length = 0;
  out.raw(signature);
  out.int32(0);
  out.int32(0);
  for (const row of rows) {
    out.reserve(fixedBytes + 8 * row.channels.length);
    out.int16(12);
    fieldInt32(out, row.lineId);
    fieldTime(out, row.at);
    fieldInt32(out, row.boot | 0);
    fieldInt32(out, row.seq | 0);
    fieldInt64(out, row.sentAt === null || row.sentAt === row.at ? null : row.sentAt - row.at);
    fieldInt32(out, row.receivedAt - row.at);
    fieldInt16(out, row.position);
    fieldInt16(out, row.trip);
    fieldInt16(out, row.lock);
    fieldInt16(out, row.flags === 0 ? null : row.flags);
    fieldFloat64(out, row.energy);
    fieldChannels(out, row.channels);
  }
  out.reserve(2);
  out.int16(-1);
  return out.take();
};

/** Rows as a binary array of `line_report`, in the order given. Valid until the next call. */
export const encodeReports = (rows: readonly Row[], reportOid: number): Buffer => {
  const out = reportBuffer;
  out.length = 0;
  out.reserve(32);
  out.int32(1);
  out.int32(0);
  out.int32(reportOid);
  out.int32(rows.length);
  out.int32(1);
  for (const row of rows) {
    out.reserve(fixedBytes + 8 * row.channels.length);
    const start = out.length;
    out.length += 4;
    out.int32(11);
    out.int32(oid.int4);
    fieldInt32(out, row.lineId);
    out.int32(oid.timestamptz);
    fieldTime(out, row.at);
    out.int32(oid.timestamptz);
    fieldTime(out, row.receivedAt);
    out.int32(oid.int8);
    fieldInt64(out, row.boot);
    out.int32(oid.int8);
    fieldInt64(out, row.seq);
    out.int32(oid.int2);
    fieldInt16(out, row.position);
    out.int32(oid.int2);
    fieldInt16(out, row.trip);
    out.int32(oid.int2);
    fieldInt16(out, row.lock);
    out.int32(oid.float8);
    fieldFloat64(out, row.energy);
    out.int32(oid.float4Array);
    fieldChannels(out, row.channels);
    out.int32(oid.int2);
    fieldInt16(out, row.carries);
    out.setInt32(start, out.length - start - 4);
  }
  return out.take();
};
