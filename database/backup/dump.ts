import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { giveToOwnerOf } from '#database/unprivileged.ts';
import { BackupError } from './backup-error.ts';
import {
  isBackedUp,
  type Piece,
  quoted,
  readMigrations,
  readSequences,
  readTables,
  steadySession,
  type Table,
  withCompanions,
} from './catalogue.ts';
import { encrypt, type Keys, keysOf, newEncryption } from './cipher.ts';
import { type BackupCause, coverOf, type Manifest, type ManifestPiece, manifestFile } from './manifest.ts';
import { Counter, needRoom, type Room, VolumeWriter } from './volumes.ts';

/** Progress of some work; `total` may grow. */
export type Progress = (given: { step: string; done: number; total: number }) => void;
interface BackupOrder {
  databaseUrl: string;
  /** Each backup is a folder with its name in this folder. */
  folder: string;
  name: string;
  cause: BackupCause;
  /** Null: every table of the product. */
  tables: readonly string[] | null;
  passphrase: string | null;
  version: string;
  now: number;
  volumeBytes?: number;
  reserveBytes?: number;
  progress?: Progress;
  signal?: AbortSignal;
}
const defaultVolumeBytes = 256 * 1024 * 1024;
const defaultReserveBytes = 512 * 1024 * 1024;

/** The folder of an incomplete backup; a start removes one that a killed server left. */
const partialOf = (folder: string, name: string): string => path.join(folder, `.${name}.partial`);

/**
 * Writes a backup: one consistent snapshot of all tables, in compressed volumes with checksums. It gets its
 * name when it is completely on disk; if anything fails, it is removed. Throws BackupError.
 */
export const makeBackup = async (order: BackupOrder): Promise<Manifest> => {
  const partial = partialOf(order.folder, order.name);
  const isNew = await mkdir(order.folder, { recursive: true, mode: 0o700 });
  if (isNew !== undefined) await giveToOwnerOf(path.dirname(order.folder), order.folder);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  try {
    const manifest = await fill(order, partial);
    await giveToOwnerOf(order.folder, partial);
    await rename(partial, path.join(order.folder, order.name));
    await syncFolder(order.folder);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (order.signal?.aborted) throw new BackupError('cancelled', {}, error);
    throw isNoSpace(error) ? new BackupError('noSpace', { free: 0, needed: 0 }, error) : error;
  }
};
const isNoSpace = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code));
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const fill = async (order: BackupOrder, partial: string): Promise<Manifest> => {
  const room: Room = {
    folder: partial,
    volumeBytes: order.volumeBytes ?? defaultVolumeBytes,
    reserveBytes: order.reserveBytes ?? defaultReserveBytes,
  };
  await needRoom(room);
  const encryption = order.passphrase === null ? null : newEncryption();
  const keys = encryption && (await keysOf(order.passphrase!, encryption));
  const client = new pg.Client({ connectionString: order.databaseUrl, application_name: 'ampwatch backup' });
  client.on('error', () => {}); // a lost connection rejects the current query
  await client.connect();
  try {
    await client.query(steadySession);
    await client.query('begin isolation level repeatable read read only');
    const tables = await holdTables(client, order.tables);
    const written = await writeTables(client, tables, { ...order, room, keys });
    const manifest: Manifest = {
      format: 1,
      name: order.name,
      made_at: new Date(order.now).toISOString(),
      cause: order.cause,
      whole: order.tables === null,
      version: order.version,
      postgres: Number(
        (await client.query<{ v: string }>(`select current_setting('server_version_num') v`)).rows[0]!.v,
      ),
      migrations: await readMigrations(client),
      compression: 'zstd',
      encryption,
      tables: written,
      sequences: await sequencesOf(client, tables),
      log_head: await logHead(client),
    };
    await writeSynced(path.join(partial, manifestFile), coverOf(manifest, keys));
    await syncFolder(partial);
    return manifest;
  } finally {
    await client.end();
  }
};

/** Prevents the tables from being dropped or altered while they are read; writers continue. */
const holdTables = async (client: pg.Client, wanted: readonly string[] | null): Promise<Table[]> => {
  const chosen = wanted === null ? null : withCompanions(wanted);
  const isWanted = ({ name }: Table) => isBackedUp(name) && (chosen === null || chosen.includes(name));
  const names = (await readTables(client)).filter(isWanted).map(({ name }) => quoted(name));
  await client.query(`lock table ${names.join(', ')} in access share mode`);
  // Also contains partitions that were made in between.
  return (await readTables(client)).filter(isWanted);
};

const writeTables = async (
  client: pg.Client,
  tables: readonly Table[],
  {
    room,
    keys,
    progress = () => {},
    signal,
  }: Pick<BackupOrder, 'progress' | 'signal'> & { room: Room; keys: Keys | null },
): Promise<Manifest['tables']> => {
  const total = await estimatedRows(client, tables);
  const written: Manifest['tables'] = [];
  let done = 0;
  let number = 0;
  for (const table of tables) {
    const pieces: ManifestPiece[] = [];
    for (const piece of table.pieces) {
      signal?.throwIfAborted();
      number += 1;
      const onRows = (rows: number) => {
        done += rows;
        progress({ step: table.name, done, total: Math.max(done, total) });
      };
      pieces.push(await writePiece(client, table, piece, { room, keys, number, onRows, signal }));
    }
    written.push({ name: table.name, columns: [...table.columns], partitionKey: table.partitionKey, pieces });
  }
  return written;
};

const writePiece = async (
  client: pg.Client,
  { columns }: Table,
  { name, range }: Piece,
  how: {
    room: Room;
    keys: Keys | null;
    number: number;
    onRows: (rows: number) => void;
    signal: AbortSignal | undefined;
  },
): Promise<ManifestPiece> => {
  const counter = new Counter(how.onRows);
  const { rows } = await client.query<{ some: boolean }>(
    `select exists (select from ${quoted(name)}) as some`,
  );
  if (!rows[0]!.some) return { name, range, rows: 0, bytes: 0, sha256: counter.sha256(), volumes: [] };
  const writer = new VolumeWriter(how.room, how.number);
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const source = client.query(copyTo(`copy ${quoted(name)} (${list}) to stdout`));
  const cipher = how.keys ? [encrypt(how.keys, how.number)] : [];
  await pipeline([source, counter, createZstdCompress(), ...cipher, writer], { signal: how.signal });
  return {
    name,
    range,
    rows: counter.rows,
    bytes: counter.bytes,
    sha256: counter.sha256(),
    volumes: writer.volumes,
  };
};

const estimatedRows = async (client: pg.Client, tables: readonly Table[]): Promise<number> => {
  const names = tables.flatMap(({ pieces }) => pieces.map(({ name }) => name));
  const { rows } = await client.query<{ n: number }>(
    `select coalesce(sum(greatest(c.reltuples, s.n_live_tup, 0)), 0)::bigint as n from pg_class c
     left join pg_stat_user_tables s on s.relid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [names],
  );
  return Number(rows[0]!.n);
};

const sequencesOf = async (client: pg.Client, tables: readonly Table[]): Promise<Manifest['sequences']> => {
  const sequences: Manifest['sequences'] = [];
  for (const { name, table } of await readSequences(client)) {
    if (table !== null && !tables.some((each) => each.name === table)) continue;
    const { rows } = await client.query<{ value: string }>(`select last_value as value from ${quoted(name)}`);
    sequences.push({ name, table, value: Number(rows[0]!.value) });
  }
  return sequences;
};

const logHead = async (client: pg.Client): Promise<Manifest['log_head']> => {
  const { rows } = await client.query<{ id: string; hash: Buffer }>(
    'select id, hash from operation_log_head',
  );
  return rows[0] ? { id: Number(rows[0].id), hash: rows[0].hash.toString('hex') } : null;
};

const writeSynced = async (file: string, text: string): Promise<void> => {
  await writeFile(file, text, { flush: true, mode: 0o600 });
};
