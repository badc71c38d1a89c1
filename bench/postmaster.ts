import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** The process whose children are all of the database's processes. */
export const postmasterOf = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
  const pid = await readFile(join(rows[0]!.folder, 'postmaster.pid'), 'utf8');
  return Number(pid.split('\n')[0]);
};
