import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Encrypts passphrases that a job or the schedule needs later, and signs permits. Its key is a file in
 * DATA_DIR, never in the database.
 */
export interface Vault {
  seal(text: string): Promise<Buffer>;
  /** Null: encrypted with another key, or changed. */
  unseal(sealed: Buffer): Promise<string | null>;
  sign(text: string): Promise<string>;
  isSigned(text: string, signature: string): Promise<boolean>;
}
const keyFile = 'maintenance.key';
const keyBytes = 32;
const [nonceBytes, tagBytes] = [12, 16];

/**
 * Reads the key, or creates it: the file appears complete, and if several nodes create one the first wins.
 */
const readKey = async (dataDir: string): Promise<Buffer> => {
  const file = path.join(dataDir, keyFile);
  const read = () => readFile(file).catch(() => null);
  const there = await read();
  if (there?.length === keyBytes) return there;
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, randomBytes(keyBytes), { mode: 0o600, flush: true });
  await link(draft, file).catch(() => {}); // another node was first
  await rm(draft);
  const made = await read();
  if (made?.length !== keyBytes) throw new Error(`${file} does not hold a key of ${keyBytes} bytes`);
  return made;
};

export const openVault = (dataDir: string): Vault => {
  let known: Promise<Buffer> | null = null;
  const key = (): Promise<Buffer> => {
    known ??= readKey(dataDir).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
  const sign = async (text: string) =>
    createHmac('sha256', await key())
      .update(text)
      .digest('hex');
  return {
    async seal(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', await key(), nonce);
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    async unseal(sealed) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', await key(), sealed.subarray(0, nonceBytes));
        decipher.setAuthTag(sealed.subarray(-tagBytes));
        const plain = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
    sign,
    async isSigned(text, signature) {
      const wanted = Buffer.from(await sign(text));
      const given = Buffer.from(signature);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
};
