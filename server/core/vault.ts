import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets at rest: the database's values cannot be read without the key file in DATA_DIR. */
export interface Vault {
  /**
   * Nonce, tag and cipher text; `owner` binds it to its row, so that it cannot be decrypted in another row.
   */
  seal(text: string, owner: string): Buffer;
  /** Throws if the key is different, or the row was changed or moved. */
  open(sealed: Buffer, owner: string): string;
  /** A keyed hash, for codes with too few digits for a plain one. */
  mac(text: string): Buffer;
}

const [nonceBytes, tagBytes] = [12, 16];

export const createVault = (key: Buffer): Vault => {
  const derived = (use: string) => Buffer.from(hkdfSync('sha256', key, '', use, 32));
  const [sealing, hashing] = [derived('ampwatch seal'), derived('ampwatch mac')];
  return {
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, owner) {
      const nonce = sealed.subarray(0, nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(owner))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      const body = sealed.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    mac: (text) => createHmac('sha256', hashing).update(text).digest(),
  };
};
