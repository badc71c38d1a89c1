import { firmwareEndpoints } from '#contract/firmware.ts';
import type { AddressOf } from './firmware.store.ts';

/** Gives a link unchanged, and a stored file an address below that of this product. */
export const addressesBelow =
  (base: string): AddressOf =>
  ({ link, token }) =>
    link ?? `${base}${firmwareEndpoints.file.path}?token=${token}`;
