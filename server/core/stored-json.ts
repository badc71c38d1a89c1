/** Values of devices and of external services as PostgreSQL's jsonb takes them. */

/** JSON for jsonb, which accepts neither NUL nor half a surrogate pair. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd');

/** The bytes of a message as a value: what is not JSON in base64. */
export const parsed = (bytes: Buffer | null): unknown => {
  if (bytes === null) return null;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return { base64: bytes.toString('base64') };
  }
};
