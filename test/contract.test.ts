import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endpoints } from '#contract/endpoints.ts';
import { unbound } from '#contract/unbound.ts';
import { openApi } from '#server/core/openapi.ts';
import { specificationPaths } from './specification-paths.ts';

const named = endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
const isCount = (schema: unknown): boolean => schema instanceof z.ZodNumber;

describe('the contract', () => {
  it('describes each call once', () => {
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
  });
  it('the contract has every call of the specification once, described or still to come', () => {
    expect(
      specificationPaths.filter((path) => !named.includes(path) && !unbound.includes(path as never)),
    ).toEqual([]);
    expect(unbound.filter((path) => named.includes(path))).toEqual([]);
    expect(unbound.filter((path) => !specificationPaths.includes(path))).toEqual([]);
  });
  it('gives every write a key for the operation log, and every form only fields that a form can contain', () => {
    for (const endpoint of endpoints) {
      if (endpoint.method === 'GET') continue;
      expect(endpoint.path, endpoint.path).toMatch(/^\/[A-Za-z_/]+$/);
      if (endpoint.log !== undefined) expect(endpoint.log).toMatch(/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/);
    }
  });
  it('requires an answer for the case of no change from every write that counts or lists its rows', () => {
    const counting = endpoints.filter(
      ({ log, reply }) =>
        log !== undefined &&
        reply instanceof z.ZodObject &&
        ('results' in reply.shape || isCount(reply.shape['done'])),
    );
    expect(counting.length).toBeGreaterThan(10);
    expect(counting.filter(({ outcome }) => outcome === undefined).map(({ path }) => path)).toEqual([]);
  });
  it('gives the bounds of a number that may also come as text', () => {
    const { paths } = openApi(endpoints, '1');
    const bodies = JSON.parse(JSON.stringify(paths)) as Record<string, Record<string, unknown>>;
    const limitsOf = Object.values(bodies).flatMap((methods) =>
      [...JSON.stringify(methods).matchAll(/"limit":\{("default":20,)?"anyOf":\[(\{[^}]*\})/g)].map(
        ([, , whole]) => JSON.parse(whole!) as unknown,
      ),
    );
    expect(limitsOf.length).toBeGreaterThan(10);
    for (const limit of limitsOf)
      expect(limit).toEqual({ type: 'integer', minimum: 1, maximum: expect.any(Number) });
    expect(limitsOf).toContainEqual({ type: 'integer', minimum: 1, maximum: 200 });
  });
});
