import * as z from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';

/** A number that may also come as text is validated in steps: the bounds of the last step apply. */
const describeBounds: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type !== 'pipe' || !(def.out instanceof z.ZodNumber)) return;
  const { minValue, maxValue } = def.out;
  jsonSchema.anyOf &&= jsonSchema.anyOf.map((one) =>
    one.type === 'integer'
      ? { ...one, minimum: minValue ?? one.minimum!, maximum: maxValue ?? one.maximum! }
      : one,
  );
};
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    ...(io === 'input' ? { override: describeBounds } : {}),
  });
  return rest;
};
const envelope = (reply: z.ZodType) => ({
  type: 'object',
  required: ['code', 'msg', 'data'],
  properties: { code: { type: 'integer' }, msg: { type: 'string' }, data: jsonSchema(reply, 'output') },
});

type Paths = Record<string, Record<string, unknown>>;
const pathsOf = (endpoints: readonly Endpoint[]): Paths => {
  const paths: Paths = {};
  for (const endpoint of endpoints) {
    const body = jsonSchema(endpoint.body, 'input');
    const parameters = Object.entries((body['properties'] ?? {}) as Record<string, unknown>).map(
      ([name, schema]) => ({ name, in: 'query', schema }),
    );
    const content = {
      ...(endpoint.upload ? { 'multipart/form-data': { schema: body } } : {}),
      'application/json': { schema: body },
      'application/x-www-form-urlencoded': { schema: body },
    };
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method.toLowerCase()] = {
      operationId: `${endpoint.method.toLowerCase()}${endpoint.path.replaceAll('/', '_')}`,
      tags: [endpoint.path.split('/')[1]],
      description: `Permission: ${endpoint.permission}.${endpoint.log ? ` Operation log: ${endpoint.log}.` : ''}`,
      ...(endpoint.permission === 'public'
        ? {}
        : { security: [{ token: [] }, { usertoken: [] }, { cookie: [] }] }),
      ...(endpoint.method === 'GET' ? { parameters } : { requestBody: { content } }),
      responses: {
        200: {
          description: endpoint.outcome ? 'Done or taking effect; `code` 0: nothing to do' : 'Done',
          content: endpoint.stream ? {} : { 'application/json': { schema: envelope(endpoint.reply) } },
        },
        default: {
          description: 'Refused: see `code` and `msg`',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
        },
      },
    };
  }
  return paths;
};

/** The schemas of all calls take a tenth of a second of processor time. */
const made = new WeakMap<readonly Endpoint[], Paths>();

/** The OpenAPI 3.1 document, generated from the contract alone, once for each list of endpoints. */
export const openApi = (endpoints: readonly Endpoint[], version: string) => {
  const paths = made.get(endpoints) ?? pathsOf(endpoints);
  made.set(endpoints, paths);
  return {
    openapi: '3.1.0',
    info: { title: 'Ampwatch', version, description: 'Console and server for electrical-safety devices' },
    paths,
    components: {
      schemas: {
        Refusal: {
          type: 'object',
          required: ['code', 'msg'],
          properties: { code: { type: 'integer' }, msg: { type: 'string' }, data: {} },
        },
      },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        usertoken: { type: 'apiKey', in: 'header', name: 'usertoken' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'PHPSESSID' },
      },
    },
  };
};
