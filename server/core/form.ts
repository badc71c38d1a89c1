import type * as z from 'zod';

const isForm = (contentType: string | undefined): boolean =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType ?? '');
/** Types that a form can only send as text. */
const written = new Set(['number', 'int', 'array', 'object', 'record']);
const jsonOf = (text: string): unknown => {
  if (!/^\s*([[{]|-?\d)/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/**
 * Form fields that `schema` defines as a number, an object or a list, parsed from their JSON text; others
 * unchanged.
 */
export const readTexts = (schema: z.ZodType, given: unknown, contentType: string | undefined): unknown => {
  if (!isForm(contentType) || given === null || typeof given !== 'object') return given;
  const fields = new Map(Object.entries(given));
  for (const issue of schema.safeParse(given).error?.issues ?? []) {
    const [name] = issue.path;
    const text = fields.get(String(name));
    if (issue.path.length === 1 && typeof text === 'string')
      if (issue.code === 'invalid_type' && written.has(issue.expected))
        fields.set(String(name), jsonOf(text));
  }
  return Object.fromEntries(fields);
};
