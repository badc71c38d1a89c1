import { firmwareEndpoints } from '#contract/firmware.ts';
import type { AddressOf } from './firmware.store.ts';

/** Links unchanged; stored files below the address of this product. */
export const addressesBelow =
  (base: string): AddressOf =>
  ({ link, token }) =>
    link ?? `${base}${firmwareEndpoints.file.path}?token=${token}`;
