import type { Vault } from './vault.ts';

/** A secret of the installation as `settings` keeps it: sealed by the vault, in base64. */
export const sealSecret = (vault: Vault, text: string, owner: string): string =>
  vault.seal(text, owner).toString('base64');

/** Null: another key sealed it, or it was changed. */
export const openSecret = (vault: Vault, sealed: string, owner: string): string | null => {
  try {
    return vault.open(Buffer.from(sealed, 'base64'), owner);
  } catch {
    return null;
  }
};
