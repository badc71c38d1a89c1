import type { Vault } from './vault.ts';

/** A secret of the installation in `settings`: encrypted by the vault, in base64. */
export const sealSecret = (vault: Vault, text: string, owner: string): string =>
  vault.seal(text, owner).toString('base64');

/** Null: encrypted with another key, or changed. */
export const openSecret = (vault: Vault, sealed: string, owner: string): string | null => {
  try {
    return vault.open(Buffer.from(sealed, 'base64'), owner);
  } catch {
    return null;
  }
};
