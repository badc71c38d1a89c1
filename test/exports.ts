import * as z from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';
import { features } from '#contract/endpoints.ts';

interface PagedList {
  readonly name: string;
  readonly siblings: Readonly<Record<string, Endpoint>>;
  readonly endpoint: Endpoint;
  readonly filters: readonly string[];
}
const ofPage = ['page', 'limit', 'sort', 'cursor'];

/** Every endpoint of the contract that returns a paged list. */
export const pagedLists: readonly PagedList[] = Object.values<Readonly<Record<string, Endpoint>>>(
  features,
).flatMap((siblings) =>
  Object.entries(siblings).flatMap(([name, endpoint]) => {
    const fields = endpoint.body instanceof z.ZodObject ? Object.keys(endpoint.body.shape) : [];
    return fields.includes('page')
      ? [{ name, siblings, endpoint, filters: fields.filter((field) => !ofPage.includes(field)) }]
      : [];
  }),
);
/** The export of `list` is `export`, of `log` it is `exportLog`. */
export const exportOfList = ({ name, siblings }: PagedList): Endpoint | undefined =>
  siblings[name === 'list' ? 'export' : `export${name[0]!.toUpperCase()}${name.slice(1)}`];
