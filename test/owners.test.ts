import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Owned, owners } from '#database/owners.ts';
import { uses } from './table-uses.ts';

const found = uses(path.resolve(import.meta.dirname, '..'));
const declared = Object.entries(owners as Record<string, Owned>);

describe('database/owners.ts', () => {
  it('names exactly one part of the server that writes each table, and each other writer with a reason', () => {
    const wrong = declared.flatMap(([table, { writes, also = {}, unseen }]) => {
      const known = [...(writes === null || unseen !== undefined ? [] : [writes]), ...Object.keys(also)];
      const actual = found.get(table)?.writes ?? [];
      return [
        ...actual
          .filter((part) => !known.includes(part))
          .map((part) => `server/${part} writes ${table}, which is ${writes}’s: ask a store of it`),
        ...known
          .filter((part) => !actual.includes(part))
          .map((part) => `server/${part} never writes ${table}`),
      ];
    });
    expect(wrong).toEqual([]);
  });
  it('names the other parts that read each table', () => {
    const wrong = declared.flatMap(([table, { writes, reads }]) => {
      if (reads === 'any') return [];
      const actual = (found.get(table)?.reads ?? []).filter((part) => part !== writes);
      return [
        ...actual
          .filter((part) => !reads.includes(part))
          .map(
            (part) => `server/${part} reads ${table}: name it in database/owners.ts, or ask a view or store`,
          ),
        ...reads
          .filter((part) => !actual.includes(part))
          .map((part) => `server/${part} does not read ${table}`),
      ];
    });
    expect(wrong).toEqual([]);
  });
  it('gives a reason for each exception', () => {
    for (const [table, { also = {} }] of declared)
      for (const [part, reason] of Object.entries(also))
        expect(reason.length, `${table}: ${part}`).toBeGreaterThan(10);
  });
});
