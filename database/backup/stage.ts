import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BackupError, flawed } from './backup-error.ts';
import {
  isBackedUp,
  quoted,
  readMigrations,
  readTables,
  steadySession,
  type Table,
  withCompanions,
} from './catalogue.ts';
import { decrypt, type Keys } from './cipher.ts';
import type { Progress } from './dump.ts';
import { type Manifest, type ManifestPiece, type ManifestTable, openManifest } from './manifest.ts';
import { Counter, readVolumes } from './volumes.ts';

/** Schema into which a backup is loaded before it replaces the present data. */
const stagingSchema = 'restoring';
export const stagingOf = (name: string): string => `${stagingSchema}.${quoted(name)}`;

/** What is restored from a backup, with the tables as they are in this database. */
export interface Target {
  table: Table;
  given: ManifestTable;
}

/**
 * Throws `newer`, `older` or `schema` unless the backup's tables equal those of this database, column by
 * column.
 */
export const matchTargets = async (
  client: pg.ClientBase,
  manifest: Manifest,
  wanted: readonly string[] | null,
): Promise<Target[]> => {
  const here = await readMigrations(client);
  const ahead = manifest.migrations.find((name) => !here.includes(name));
  if (ahead !== undefined) flawed('newer', { version: manifest.version, migration: ahead });
  const behind = here.find((name) => !manifest.migrations.includes(name));
  if (behind !== undefined) flawed('older', { version: manifest.version, migration: behind });
  const tables = new Map((await readTables(client)).map((table) => [table.name, table]));
  // Earlier backups may contain tables that are local by now.
  const whole = manifest.tables.map(({ name }) => name).filter(isBackedUp);
  const chosen = wanted === null ? whole : withCompanions(wanted);
  return chosen.map((name) => {
    const given = manifest.tables.find((each) => each.name === name) ?? flawed('notInside', { table: name });
    const table = tables.get(name) ?? flawed('schema', { table: name });
    const shape = (each: Pick<Table, 'columns' | 'partitionKey'>) =>
      JSON.stringify([each.columns, each.partitionKey]);
    if (shape(given) !== shape(table)) flawed('schema', { table: name });
    for (const { range } of given.pieces)
      if ((range === null) !== (table.partitionKey === null)) flawed('schema', { table: name });
    return { table, given };
  });
};

/**
 * Loads a backup into the staging schema and verifies every checksum and count. The present data is not
 * changed.
 */
export const stage = async (
  client: pg.Client,
  {
    folder,
    passphrase,
    tables,
    progress = () => {},
    signal,
  }: {
    /** Folder of the backup. */
    folder: string;
    passphrase: string | null;
    tables: readonly string[] | null;
    progress?: Progress;
    signal?: AbortSignal | undefined;
  },
): Promise<{ manifest: Manifest; targets: Target[] }> => {
  const { manifest, keys } = await openManifest(folder, passphrase);
  if (manifest.name !== path.basename(folder)) flawed('damaged', { file: 'manifest.json' });
  await client.query(steadySession);
  const targets = await matchTargets(client, manifest, tables);
  await dropStaging(client);
  await client.query(`create schema ${stagingSchema}`);
  const total = targets.reduce(
    (sum, { given }) => sum + given.pieces.reduce((rows, each) => rows + each.rows, 0),
    0,
  );
  let done = 0;
  const numbers = numbersOf(manifest);
  try {
    for (const { table, given } of targets)
      for (const piece of given.pieces) {
        signal?.throwIfAborted();
        const onRows = (rows: number) => {
          done += rows;
          progress({ step: table.name, done, total });
        };
        await loadPiece(client, table, piece, { folder, keys, number: numbers.get(piece)!, onRows, signal });
      }
    return { manifest, targets };
  } catch (error) {
    await dropStaging(client).catch(() => {}); // the connection is lost: the next restore begins with this cleanup
    throw signal?.aborted ? new BackupError('cancelled', {}, error) : error;
  }
};

export const dropStaging = (client: pg.ClientBase): Promise<unknown> =>
  client.query(`drop schema if exists ${stagingSchema} cascade`);

/**
 * Pieces are numbered in the order of the manifest: the volumes' names and the cipher's nonces contain the
 * number.
 */
const numbersOf = ({ tables }: Manifest): Map<ManifestPiece, number> =>
  new Map(tables.flatMap(({ pieces }) => pieces).map((piece, index) => [piece, index + 1]));

const loadPiece = async (
  client: pg.Client,
  table: Table,
  piece: ManifestPiece,
  how: {
    folder: string;
    keys: Keys | null;
    number: number;
    onRows: (rows: number) => void;
    signal: AbortSignal | undefined;
  },
): Promise<void> => {
  const target = stagingOf(piece.name);
  // A partition is attached directly, so it must survive a crash; the rows of other tables are copied once
  // more.
  const kind = piece.range === null ? 'unlogged table' : 'table';
  const like = piece.range === null ? 'including generated' : 'including all excluding indexes';
  await client.query(`create ${kind} ${target} (like public.${quoted(table.name)} ${like})`);
  if (piece.volumes.length > 0) await copyIn(client, table, piece, target, how);
  else if (piece.rows > 0) flawed('damaged', { file: piece.name });
  if (piece.range !== null) await makeAttachable(client, table, piece);
};

const copyIn = async (
  client: pg.Client,
  { columns }: Table,
  piece: ManifestPiece,
  target: string,
  { folder, keys, number, onRows, signal }: Parameters<typeof loadPiece>[3],
): Promise<void> => {
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const counter = new Counter(onRows);
  const cipher = keys ? [decrypt(keys, number)] : [];
  const sink = client.query(copyFrom(`copy ${target} (${list}) from stdin`));
  const damaged = (error?: unknown) => new BackupError('damaged', { file: piece.name }, error);
  try {
    await pipeline(
      [Readable.from(readVolumes(folder, piece.volumes)), ...cipher, createZstdDecompress(), counter, sink],
      { signal },
    );
  } catch (error) {
    if (signal?.aborted || error instanceof BackupError) throw error;
    // Damaged data makes the decompressor or PostgreSQL fail; a full disk has an error code of its own.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z') || code.startsWith('22') ? damaged(error) : error;
  }
  if (counter.rows !== piece.rows || counter.sha256() !== piece.sha256) throw damaged();
};

/** Gives a staged partition its indexes and a check of its range, so that attaching it is quick. */
const makeAttachable = async (
  client: pg.Client,
  table: Table,
  { name, range }: ManifestPiece,
): Promise<void> => {
  const target = stagingOf(name);
  const { rows } = await client.query<{ constraint: string | null; index: string }>(
    `select pg_get_constraintdef(c.oid) as constraint, pg_get_indexdef(x.indexrelid) as index
     from pg_index x left join pg_constraint c on c.conindid = x.indexrelid and c.contype in ('p', 'u')
     where x.indrelid = $1::regclass order by x.indexrelid`,
    [`public.${quoted(table.name)}`],
  );
  for (const { constraint, index } of rows)
    await client.query(
      constraint === null
        ? index.replace(
            /^CREATE (UNIQUE )?INDEX \S+ ON (?:ONLY )?\S+/,
            (_all, unique) => `create ${unique ?? ''}index on ${target}`,
          )
        : `alter table ${target} add ${constraint}`,
    );
  const key = quoted(table.partitionKey!);
  await client.query(
    `alter table ${target} add constraint within_range check (${key} is not null and ${key} >= ${instant(range!.from)} and ${key} < ${instant(range!.to)})`,
  );
};
/** An instant that the manifest's schema has validated, as SQL. */
export const instant = (text: string): string => `timestamptz '${new Date(text).toISOString()}'`;
