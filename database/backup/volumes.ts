import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type TransformCallback, Writable } from 'node:stream';
import { BackupError } from './backup-error.ts';
import type { ManifestPiece } from './manifest.ts';

export interface Room {
  folder: string;
  /** Maximum size of a volume. */
  volumeBytes: number;
  /** Space that stays free for the database on the same disk. */
  reserveBytes: number;
}
type Volume = ManifestPiece['volumes'][number];
const lookEveryBytes = 16 * 1024 * 1024;
const noSpace = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code));

/** Throws `noSpace` if less space than the reserve is free. */
export const needRoom = async ({ folder, reserveBytes }: Room): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < reserveBytes)
    throw new BackupError('noSpace', { free: megabytes(bavail * bsize), needed: megabytes(reserveBytes) });
};
const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);

/** Writes one stream as numbered files with checksums; all are on disk when the stream ends. */
export class VolumeWriter extends Writable {
  readonly volumes: Volume[] = [];
  private readonly room: Room;
  private readonly number: number;
  private file: FileHandle | null = null;
  private hash: Hash = createHash('sha256');
  private bytes = 0;
  private sinceLook = lookEveryBytes;
  constructor(room: Room, number: number) {
    super({ highWaterMark: 1024 * 1024 });
    this.room = room;
    this.number = number;
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.append(chunk).then(
      () => done(),
      (error: Error) =>
        done(noSpace(error) ? new BackupError('noSpace', { free: 0, needed: 0 }, error) : error),
    );
  }
  override _final(done: (error?: Error | null) => void): void {
    this.endVolume().then(
      () => done(),
      (error: Error) => done(error),
    );
  }
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const close = this.file?.close() ?? Promise.resolve();
    this.file = null;
    close.then(
      () => done(error),
      () => done(error),
    );
  }
  private async append(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      this.file ??= await this.nextVolume();
      const part = rest.subarray(0, this.room.volumeBytes - this.bytes);
      rest = rest.subarray(part.length);
      for (let at = 0; at < part.length; ) at += (await this.file.write(part, at)).bytesWritten;
      this.hash.update(part);
      this.bytes += part.length;
      this.sinceLook += part.length;
      if (this.sinceLook >= lookEveryBytes) {
        this.sinceLook = 0;
        await needRoom(this.room);
      }
      if (this.bytes === this.room.volumeBytes) await this.endVolume();
    }
  }
  private nextVolume(): Promise<FileHandle> {
    this.hash = createHash('sha256');
    this.bytes = 0;
    return open(path.join(this.room.folder, this.nameOf(this.volumes.length)), 'wx', 0o600);
  }
  private async endVolume(): Promise<void> {
    if (this.file === null) return;
    const file = this.file;
    this.file = null;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    const sha256 = this.hash.digest('hex');
    this.volumes.push({ file: this.nameOf(this.volumes.length), bytes: this.bytes, sha256 });
  }
  private nameOf = (volume: number): string =>
    `${String(this.number).padStart(4, '0')}.${String(volume).padStart(3, '0')}`;
}

/**
 * The bytes of a piece's volumes, one after the other; throws `damaged` after the first volume with a wrong
 * checksum.
 */
export async function* readVolumes(folder: string, volumes: readonly Volume[]): AsyncGenerator<Buffer> {
  for (const { file, bytes, sha256 } of volumes) {
    const hash = createHash('sha256');
    let read = 0;
    try {
      for await (const chunk of createReadStream(path.join(folder, file), { highWaterMark: 1024 * 1024 })) {
        const part = chunk as Buffer;
        hash.update(part);
        read += part.length;
        if (read > bytes) throw new BackupError('damaged', { file });
        yield part;
      }
    } catch (error) {
      throw error instanceof BackupError ? error : new BackupError('damaged', { file }, error);
    }
    if (read !== bytes || hash.digest('hex') !== sha256) throw new BackupError('damaged', { file });
  }
}

const newline = 0x0a;
/** Counts bytes and rows of the COPY text that passes, and calculates its checksum. */
export class Counter extends Transform {
  rows = 0;
  bytes = 0;
  private readonly hash = createHash('sha256');
  private readonly onRows: (rows: number) => void;
  constructor(onRows: (rows: number) => void) {
    super();
    this.onRows = onRows;
  }
  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const before = this.rows;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.rows += 1;
    this.bytes += chunk.length;
    this.hash.update(chunk);
    this.onRows(this.rows - before);
    done(null, chunk);
  }
  sha256(): string {
    return this.hash.digest('hex');
  }
}
