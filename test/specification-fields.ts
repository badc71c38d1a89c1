import * as z from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';

/** A field of a call that writes. */
export interface WrittenField {
  readonly endpoint: Endpoint;
  /** The path in the body, such as `contacts.0.phone`. */
  readonly at: string;
  readonly name: string;
  readonly required: boolean;
}
type Schema = {
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
};

const placesIn = (schema: Schema, at: string): string[] => {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  const below = (name: string) => (at === '' ? name : `${at}.${name}`);
  return [
    ...(at === '' ? [] : [at]),
    ...alternatives.flatMap((inner) => placesIn(inner, at)),
    ...(schema.items ? placesIn(schema.items, below('0')) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => placesIn(inner, below(name))),
  ];
};

/** Filters select rows and are not stored, so the rules of the specification do not apply to them. */
const isFilter = (at: string): boolean => at.startsWith('filter');

/** Every field of every call that writes; each rule selects its fields by name. */
export const writtenFields: readonly WrittenField[] = endpoints
  .filter(({ log }) => log !== undefined)
  .flatMap((endpoint) => {
    const schema = z.toJSONSchema(endpoint.body, { io: 'input', unrepresentable: 'any' }) as Schema;
    return [...new Set(placesIn(schema, ''))]
      .filter((at) => !isFilter(at))
      .map((at) => ({
        endpoint,
        at,
        name: at.split('.').findLast((part) => !/^\d+$/.test(part))!,
        required: schema.required?.includes(at) ?? false,
      }));
  });

/** Whether a call has a field at the top of its body. */
export const takes = (endpoint: Endpoint, name: string): boolean =>
  writtenFields.some((field) => field.endpoint === endpoint && field.at === name);

/** The body with a value at a place; `undefined` leaves the field out. */
export const withValue = (
  body: Readonly<Record<string, unknown>>,
  at: string,
  value: unknown,
): Record<string, unknown> => {
  const [first, ...rest] = at.split('.') as [string, ...string[]];
  if (rest.length === 0) return { ...body, [first]: value };
  const inner = body[first];
  if (/^\d+$/.test(rest[0]!)) {
    const item = Array.isArray(inner) && typeof inner[0] === 'object' ? inner[0] : {};
    return {
      ...body,
      [first]: [rest.length === 1 ? value : withValue(item, rest.slice(1).join('.'), value)],
    };
  }
  return { ...body, [first]: withValue((inner ?? {}) as Record<string, unknown>, rest.join('.'), value) };
};
