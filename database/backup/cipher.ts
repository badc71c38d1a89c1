import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { promisify } from 'node:util';
import { BackupError } from './backup-error.ts';

/** How the keys of an encrypted backup are derived from its passphrase. */
interface Encryption {
  cipher: 'aes-256-gcm';
  kdf: 'scrypt';
  n: number;
  r: number;
  p: number;
  /** Hex. */
  salt: string;
}
export interface Keys {
  data: Buffer;
  /** Key of the manifest's seal. */
  seal: Buffer;
}
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
/** 128 MiB of memory and about half a second: the parameters of RFC 7914 for files. */
const cost = { n: 2 ** 17, r: 8, p: 1 };
/** The maximum that a foreign manifest may require. */
const mostMemory = 512 * 1024 * 1024;

export const newEncryption = (): Encryption => ({
  cipher: 'aes-256-gcm',
  kdf: 'scrypt',
  ...cost,
  salt: randomBytes(16).toString('hex'),
});
export const keysOf = async (passphrase: string, { n, r, p, salt }: Encryption): Promise<Keys> => {
  const bytes = await derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), 64, {
    N: n,
    r,
    p,
    maxmem: mostMemory,
  });
  return { data: bytes.subarray(0, 32), seal: bytes.subarray(32) };
};

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
export const sealOf = (text: string, keys: Keys): string =>
  createHmac('sha256', keys.seal).update(text).digest('hex');
export const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const frameBytes = 1024 * 1024;
const tagBytes = 16;
/**
 * Piece number, frame number, and 1 for the last frame. They prevent frames from being moved and the end from
 * being cut off.
 */
const nonceOf = (piece: number, frame: number, last: boolean): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(piece, 0);
  nonce.writeUIntBE(frame, 4, 6);
  nonce.writeUInt16BE(last ? 1 : 0, 10);
  return nonce;
};

/** Splits a stream into pieces of exactly `size` bytes and marks the last one (which may be empty). */
abstract class Framed extends Transform {
  private waiting: Buffer[] = [];
  private bytes = 0;
  private readonly size: number;
  protected count = 0;
  constructor(size: number) {
    super();
    this.size = size;
  }
  protected abstract frame(content: Buffer, last: boolean): Buffer;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.waiting.push(chunk);
    this.bytes += chunk.length;
    try {
      // One byte beyond a full frame shows that this frame is not the last.
      if (this.bytes > this.size) this.putWhole();
      done();
    } catch (error) {
      done(error as Error);
    }
  }
  private putWhole(): void {
    let rest = Buffer.concat(this.waiting);
    for (; rest.length > this.size; rest = rest.subarray(this.size))
      this.put(rest.subarray(0, this.size), false);
    this.waiting = [rest];
    this.bytes = rest.length;
  }
  override _flush(done: TransformCallback): void {
    try {
      this.put(Buffer.concat(this.waiting), true);
      done();
    } catch (error) {
      done(error as Error);
    }
  }
  private put(content: Buffer, last: boolean): void {
    this.push(this.frame(content, last));
    this.count += 1;
  }
}

class Encrypt extends Framed {
  private readonly key: Buffer;
  private readonly piece: number;
  constructor(key: Buffer, piece: number) {
    super(frameBytes);
    this.key = key;
    this.piece = piece;
  }
  protected override frame(content: Buffer, last: boolean): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.key, nonceOf(this.piece, this.count, last));
    return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }
}
class Decrypt extends Framed {
  private readonly key: Buffer;
  private readonly piece: number;
  constructor(key: Buffer, piece: number) {
    super(frameBytes + tagBytes);
    this.key = key;
    this.piece = piece;
  }
  protected override frame(content: Buffer, last: boolean): Buffer {
    const damaged = () => new BackupError('damaged', { file: `#${this.piece}` });
    if (content.length < tagBytes) throw damaged();
    const decipher = createDecipheriv('aes-256-gcm', this.key, nonceOf(this.piece, this.count, last));
    decipher.setAuthTag(content.subarray(-tagBytes));
    const plain = decipher.update(content.subarray(0, -tagBytes));
    try {
      return Buffer.concat([plain, decipher.final()]);
    } catch {
      throw damaged();
    }
  }
}
/** `piece` numbers the streams of one backup; each number is used once. */
export const encrypt = ({ data }: Keys, piece: number): Transform => new Encrypt(data, piece);
export const decrypt = ({ data }: Keys, piece: number): Transform => new Decrypt(data, piece);
