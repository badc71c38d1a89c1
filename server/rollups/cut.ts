import type pg from 'pg';
import { cutKey } from '#server/core/rollup-marks.ts';

/** Key of a setting: readings before this instant, in ms, are in the rollups, unless `rollup_dirty` names them. */
const throughKey = 'rollups.through';

/**
 * Key of a setting: quarters, hours, days and months contain the minutes before this instant, in ms; absent:
 * all that are stored.
 */
const foldedKey = 'rollups.folded';

const putSql = `
  insert into settings as s (key, value, updated_at) values ($1, $2, $3)
  on conflict (key) do update set
    value = to_jsonb(greatest(s.value::float8, excluded.value::float8)), updated_at = excluded.updated_at
  returning value`;
const put = async (client: pg.ClientBase, key: string, value: number, now: number): Promise<number> => {
  const { rows } = await client.query<{ value: number }>(putSql, [key, JSON.stringify(value), new Date(now)]);
  return rows[0]!.value;
};

const read = async (client: pg.ClientBase, key: string): Promise<number | null> => {
  const { rows } = await client.query<{ value: number }>('select value from settings where key = $1', [key]);
  return rows[0]?.value ?? null;
};

export const readThrough = (client: pg.ClientBase): Promise<number | null> => read(client, throughKey);
export const readFolded = (client: pg.ClientBase): Promise<number | null> => read(client, foldedKey);
export const moveFolded = (client: pg.ClientBase, folded: number, now: number): Promise<number> =>
  put(client, foldedKey, folded, now);
export const moveThrough = (client: pg.ClientBase, through: number, now: number): Promise<number> =>
  put(client, throughKey, through, now);
/**
 * Moves the cut, never back: from now on transactions that store older readings mark them. Must be committed
 * before the transactions under way are awaited.
 */
export const moveCut = (client: pg.ClientBase, cut: number, now: number): Promise<number> =>
  put(client, cutKey, cut, now);
