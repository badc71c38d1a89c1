import type { Vault } from './vault.ts';

/** A stored secret: encrypted by the vault, in base64. Empty: none. */
export const sealSecret = (vault: Vault, text: string, owner: string): string =>
  text === '' ? '' : vault.seal(text, owner).toString('base64');

/** Null: encrypted with another key, or changed. */
export const openSecret = (vault: Vault, sealed: string, owner: string): string | null => {
  if (sealed === '') return '';
  try {
    return vault.open(Buffer.from(sealed, 'base64'), owner);
  } catch {
    return null;
  }
};
