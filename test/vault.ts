import { createVault } from '#server/core/vault.ts';

/** The key file of the tests. */
export const testVault = createVault(Buffer.alloc(32, 7));
