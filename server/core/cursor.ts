import * as z from 'zod';
import { instant } from '#contract/endpoint.ts';
import { fault } from './fault.ts';

const parts = z.array(z.union([z.string(), z.number()])).max(6);

/** A time within a key in PostgreSQL's format, to the microsecond. */
export const storedInstant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/)
  .refine((text) => instant.safeParse(text.replace(' ', 'T').replace('+00', 'Z')).success);

/** Opaque position in a list: the sort key of the last returned row. */
export const cursorOf = (...key: (string | number)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** The key in a cursor of `cursorOf`. Throws `cursor.invalid` if it does not match the shape. */
export const cursorKey = <Key>(cursor: string, shape: z.ZodType<Key>): Key => {
  const text = Buffer.from(cursor, 'base64url').toString();
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    given = null;
  }
  const read = parts.pipe(shape as z.ZodType<Key, (string | number)[]>).safeParse(given);
  return read.success ? read.data : fault('cursor.invalid', { fields: { cursor: 'cursor.invalid' } });
};
