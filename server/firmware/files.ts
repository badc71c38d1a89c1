import { createHash, createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

const folderOf = (dataDir: string): string => path.join(dataDir, 'firmware');
/** Named by its checksum, which is validated text. */
export const fileOf = (dataDir: string, sha256: string): string =>
  path.join(folderOf(dataDir), `${sha256}.bin`);

/** Stores a file; it appears completely or not at all, and identical content is stored once. */
export const keepFile = async (
  dataDir: string,
  content: Uint8Array,
): Promise<{ sha256: string; size: number }> => {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = fileOf(dataDir, sha256);
  if ((await stat(file).catch(() => null))?.size === content.length) return { sha256, size: content.length };
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return { sha256, size: content.length };
};
export const removeFile = (dataDir: string, sha256: string): Promise<void> =>
  rm(fileOf(dataDir, sha256), { force: true });

/** SubjectPublicKeyInfo of Ed25519, before the key's 32 bytes. Source: RFC 8410. */
const keyPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const keyObject = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([keyPrefix, raw]), format: 'der', type: 'spki' });

/** The 32 bytes of a public key from PEM or base64; null: it is not an Ed25519 key. */
export const readPublicKey = (text: string): Buffer | null => {
  try {
    const object = text.includes('BEGIN') ? createPublicKey(text) : keyObject(Buffer.from(text, 'base64'));
    if (object.asymmetricKeyType !== 'ed25519') return null;
    const raw = object.export({ format: 'der', type: 'spki' }).subarray(keyPrefix.length);
    return raw.length === 32 ? raw : null;
  } catch {
    return null;
  }
};
export const isSignedBy = (publicKey: Uint8Array, statement: string, signature: Uint8Array): boolean =>
  verify(null, Buffer.from(statement), keyObject(publicKey), signature);
