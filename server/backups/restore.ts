import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

import { withCompanions } from '#database/backup/catalogue.ts';
import { type Manifest, readManifest } from '#database/backup/manifest.ts';
import { folderOf } from '#database/backup/shelf.ts';
import { dropStaging, matchTargets, type Target } from '#database/backup/stage.ts';
import { swapIn } from '#database/backup/swap.ts';
import type { Db, Tables } from '#database/connect.ts';
import { appendOperation, checkOperations, operationHash } from '#server/core/operation-log.ts';
import { type CarriedOver, rememberForbidding } from './carry-over.ts';
import { rememberWithdrawn, type Withdrawn } from './carry-withdrawn.ts';

/** A Kysely over one connection, whose transaction is the caller's. */
const over = (client: pg.Client): Db => {
  const lent = { query: client.query.bind(client), release: () => {} };
  const pool = { options: {}, connect: async () => lent, end: async () => {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool }) });
};
const logTables = withCompanions(['operation_log']);

/**
 * The operation log is append-only, so a restore never shortens it. The present log stays if it is valid and
 * continues that of the backup. A log with another or a broken chain is replaced by that of the backup.
 */
const keepsLog = async (db: Db, { log_head }: Manifest): Promise<boolean> => {
  if (log_head === null || log_head.id === 0) return true;
  if ((await operationHash(db, log_head.id)) !== log_head.hash) return false;
  return (await checkOperations(db)).broken === null;
};

/** Whether the operation log shows that the present data is what became of the backup's. */
const continuesLog = async (db: Db, { log_head }: Pick<Manifest, 'log_head'>): Promise<boolean> =>
  log_head !== null && log_head.id > 0 && (await operationHash(db, log_head.id)) === log_head.hash;

/**
 * Whether the present data is what became of the backup's: its operation log continues that of the backup, or
 * neither has one. Then nothing that was set after the backup is unknown here.
 */
const isLaterThan = async (db: Db, { log_head }: Manifest): Promise<boolean> => {
  const project = await db.selectFrom('projects').select('id').limit(1).executeTakeFirst();
  if (log_head === null || log_head.id === 0) return project !== undefined;
  return continuesLog(db, { log_head });
};
/** Tables that say what there is to switch, and what is tagged. */
const switchedTables: readonly string[] = ['projects', 'devices', 'lines', 'lockout_tags'];

export interface Restored {
  tables: number;
  rows: number;
  logKept: boolean;
  /** What forbade closing before and is not in the backup: it still does. */
  carried: CarriedOver;
  /** What users had taken away since the backup and still is; null: the present data does not show it. */
  withdrawn: Withdrawn | null;
}
interface RestoreOrder {
  databaseUrl: string;
  /** Folder of all backups. */
  shelf: string;
  name: string;
  /** Null: everything in the backup. */
  tables: readonly string[] | null;
  operator: { userId: number | null; username: string; channel: string };
  requestId: string;
  now: number;
  /** The operator states that the server has not run since the backup, so that no lock-out tag is missing. */
  nothingSince?: boolean;
  /** Runs in the same transaction. */
  also?: (trx: Db, restored: Restored) => Promise<void>;
}

/**
 * Replaces the present data with a staged backup, in one transaction, with its row in the operation log. No
 * part may use cached data afterwards: the server runs this before its parts begin. Throws BackupError.
 */
export const swapStaged = async (order: RestoreOrder): Promise<Restored> => {
  const manifest = await readManifest(await folderOf(order.shelf, order.name));
  const client = new pg.Client({ connectionString: order.databaseUrl, application_name: 'ampwatch restore' });
  client.on('error', () => {}); // a lost connection rejects the current query
  await client.connect();
  const db = over(client);
  try {
    await client.query(`set timezone = 'UTC'; begin`);
    const all = await matchTargets(client, manifest, order.tables);
    const hasLog = all.some(({ table }) => logTables.includes(table.name));
    const logKept = hasLog && (await keepsLog(db, manifest));
    const targets = all.filter(({ table }) => !logKept || !logTables.includes(table.name));
    const replacesTags = all.some(({ table }) => switchedTables.includes(table.name));
    const isLater = order.nothingSince === true || !replacesTags || (await isLaterThan(db, manifest));
    const keepWithdrawn =
      order.nothingSince !== true && (await continuesLog(db, manifest))
        ? await rememberWithdrawn(client)
        : null;
    const bringBack = await rememberForbidding(client, { isLater });
    await swapIn(client, manifest, targets, { whole: order.tables === null && manifest.whole });
    const withdrawn =
      (await keepWithdrawn?.(
        new Date(order.now),
        targets.map(({ table }) => table.name),
      )) ?? null;
    const carried = await bringBack(new Date(order.now));
    const restored = { tables: targets.length, rows: countOf(targets), logKept, carried, withdrawn };
    await order.also?.(db, restored);
    await appendOperation(db, {
      at: new Date(order.now),
      userId: order.operator.userId,
      operator: order.operator.username,
      key: 'database.restored',
      channel: order.operator.channel,
      address: '',
      requestId: order.requestId,
      outcome: 'done',
      code: 200,
      projectId: null,
      deviceId: null,
      parameters: {
        ...restored,
        backup: order.name,
        made_at: manifest.made_at,
        only: order.tables,
        ...(order.nothingSince && { nothing_since: true }),
      },
    });
    await client.query('commit');
    return restored;
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the connection is lost, and the transaction with it
    await dropStaging(client).catch(() => {});
    throw error;
  } finally {
    await client.end();
  }
};
const countOf = (targets: readonly Target[]): number =>
  targets.reduce((sum, { given }) => sum + given.pieces.reduce((rows, each) => rows + each.rows, 0), 0);
