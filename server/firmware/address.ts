import { firmwareEndpoints } from '#contract/firmware.ts';
import type { AddressOf } from './firmware.store.ts';

/** Links as they are; files of ours below the address under which this product is reached. */
export const addressesBelow =
  (base: string): AddressOf =>
  ({ link, token }) =>
    link ?? `${base}${firmwareEndpoints.file.path}?token=${token}`;
