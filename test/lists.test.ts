import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { readTexts } from '#server/core/form.ts';
import { exportOfList, pagedLists } from './exports.ts';
import { sampleBody } from './sample-body.ts';

interface Field {
  endpoint: Endpoint;
  name: string;
  /** The contract's value for an absent one. */
  fallback: unknown;
}
type Schema = { type?: string; anyOf?: Schema[]; properties?: Record<string, Schema>; default?: unknown };
const isList = ({ type, anyOf }: Schema): boolean => type === 'array' || (anyOf?.some(isList) ?? false);

/** Every list at the top level of a contract body. */
const lists = endpoints.flatMap((endpoint): Field[] => {
  const body = z.toJSONSchema(endpoint.body, { io: 'output', unrepresentable: 'any' }) as Schema;
  return Object.entries(body.properties ?? {})
    .filter(([, schema]) => isList(schema))
    .map(([name, { default: fallback }]) => ({ endpoint, name, fallback }));
});
const flawsAt = ({ endpoint, name }: Field, given: unknown, contentType: string) => {
  const body = { ...sampleBody(endpoint.body, {}), [name]: given };
  const { error } = endpoint.body.safeParse(readTexts(endpoint.body, body, contentType));
  return (error?.issues ?? []).filter(({ path }) => path[0] === name).map(({ message }) => message);
};
const form = 'application/x-www-form-urlencoded';
const encodings: [encoding: string, given: unknown, contentType: string][] = [
  ['an empty form field', '', form],
  ['a form field with an empty JSON list', '[]', form],
  ['an empty JSON list', [], 'application/json'],
];
/** Lists that may be empty, with the meaning of that. */
const mayBeEmpty: Record<string, string> = {
  '/device/edit_contact contacts': 'A device without contacts of its own',
  '/user/add part_ids': 'A user of the whole project',
  '/user/edit part_ids': 'A user of the whole project',
};

describe.each(lists.map((field) => [`${field.endpoint.path} ${field.name}`, field] as const))(
  '%s',
  (name, field) => {
    test.each(encodings)(
      'an empty list as %s is refused, unless the contract defines its meaning',
      (_, given, type) => {
        const flaws = flawsAt(field, given, type);
        if (mayBeEmpty[name] !== undefined) return;
        if (field.fallback === undefined) expect(flaws).not.toEqual([]);
        else expect(field.fallback).toEqual([]);
      },
    );
  },
);

test('the contract has lists that select rows', () => {
  expect(lists.map(({ endpoint, name }) => `${endpoint.path} ${name}`)).toEqual(
    expect.arrayContaining([
      '/device_line/onekey_opening line_ids',
      '/device_line/onekey_opening device_ids',
      '/device/device_set device_ids',
      '/device_timing/delete_device_timing timer_ids',
    ]),
  );
});

test.each(
  endpoints
    .filter(
      ({ path, reply }) => path.endsWith('/get_list') && 'total' in ((reply as z.ZodObject).shape ?? {}),
    )
    .map((endpoint) => [endpoint.path, endpoint] as const),
)('%s takes and answers the page and its size', (_, { body, reply }) => {
  const of = (schema: z.ZodType) => Object.keys((schema as z.ZodObject).shape);
  expect(of(body)).toEqual(expect.arrayContaining(['page', 'limit']));
  expect(of(reply)).toEqual(expect.arrayContaining(['list', 'total', 'page', 'limit']));
});

/** Paged lists without a spreadsheet export. */
const withoutExport: Record<string, string> = {
  '/table_list': 'The list of projects under another path',
  '/statistics/energy_detail': '/statistics/energy_export gives its rows',
  '/device_line/get_list': 'The lines of one device, whole on its page',
  '/device_info/get_list': 'What the search of devices finds; the list of devices has an export',
  '/device_patrol/get_device_list': 'Devices to look at now; the list of devices has an export',
  '/device_job/get_list': 'A bar for each job under way; /device_job/export_job gives the devices of one',
};
test.each(pagedLists.map((list) => [list.endpoint.path, list] as const))(
  '%s can be exported with its filters, by the same users',
  (path, list) => {
    const found = exportOfList(list);
    if (withoutExport[path] !== undefined) expect(found).toBeUndefined();
    else {
      expect(found).toMatchObject({ stream: true, permission: list.endpoint.permission });
      expect(Object.keys((found?.body as z.ZodObject | undefined)?.shape ?? {})).toEqual(
        expect.arrayContaining(list.filters as string[]),
      );
    }
  },
);
