import * as z from 'zod';

type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  exclusiveMinimum?: number;
  pattern?: string;
  format?: string;
  default?: unknown;
  minLength?: number;
};

const text = (schema: Schema, field: string): string => {
  if (schema.format === 'uuid') return '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab';
  if (schema.format === 'date-time')
    return field === 'from' ? '2026-11-19T00:00:00Z' : '2026-11-20T00:00:00Z';
  if (schema.format === 'date') return '2026-12-01';
  if (schema.format === 'email') return 'a@example.org';
  if (schema.pattern?.includes('\\d{11}')) return '13800000000';
  if (schema.pattern?.startsWith('^\\d{4}')) return '1234';
  if (schema.pattern?.includes('{6,32}'))
    return `NEW${Math.random().toString(36).slice(2, 12).toUpperCase()}`;
  return 'sample text'.padEnd(schema.minLength ?? 0, 'x');
};

const sample = (schema: Schema, field: string, known: Readonly<Record<string, unknown>>): unknown => {
  if (Object.hasOwn(known, field)) {
    const value = known[field];
    return schema.type === 'array' && !Array.isArray(value) ? [value] : value;
  }
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (alternatives?.[0]) return sample(alternatives[0], field, known);
  if (schema.type === 'array') return [sample(schema.items ?? {}, field.replace(/s$/, ''), known)];
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(
          ([name, inner]) =>
            (schema.required?.includes(name) && inner.default === undefined) || Object.hasOwn(known, name),
        )
        .map(([name, inner]) => [name, sample(inner, name, known)]),
    );
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.max(1, schema.minimum ?? schema.exclusiveMinimum ?? 1);
  if (schema.type === 'boolean') return true;
  return text(schema, field);
};

/** A body that matches an endpoint's schema; it has the `known` fields wherever the schema has them. */
export const sampleBody = (
  body: z.ZodType,
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  sample(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema, '', known) as Record<
    string,
    unknown
  >;
