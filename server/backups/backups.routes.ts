import { mkdir, statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { backupSheet, jobSheet, tableSheet } from '#contract/backup-columns.ts';
import { type BackupRow, backupEndpoints as endpoints } from '#contract/backups.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { mayMaintainDatabase } from '#contract/permissions.ts';
import { archiveOf } from '#database/backup/archive.ts';
import { BackupError } from '#database/backup/backup-error.ts';
import { isBackedUp, withCompanions } from '#database/backup/catalogue.ts';
import { openManifest, readManifest, rowsOf, volumesOf } from '#database/backup/manifest.ts';
import { folderOf, readShelf, removeBackup, type Shelved } from '#database/backup/shelf.ts';
import { matchTargets } from '#database/backup/stage.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { eachOf, everyRow, sendTable } from '#server/core/table.ts';
import { defaultZone } from '#server/core/zone.ts';
import { maintenanceStore, type NewJob } from './backups.store.ts';
import { shelfOf } from './place.ts';
import {
  backupSchedule,
  nextBackup,
  nextDrill,
  type StoredSchedule,
  storedPassphrase,
  storeSchedule,
} from './schedule.ts';
import { knownTables, tableList } from './tables.ts';
import type { Vault } from './vault.ts';

export interface BackupRoutesDeps {
  provePassword: ProvePassword;
  vault: Vault;
  dataDir: string;
  /** Address of the database for the owner of the tables. */
  databaseUrl: string;
}
type MaintenanceCall = Call<{ password: string }>;
const permitMs = 60_000;

/** Turns an error into a fault in the reader's language. */
const asFault = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BackupError) fault(`backup.${error.flaw}`, { with: error.about });
    throw error;
  }
};
const sayError = (error: unknown, language: Language): string => {
  if (error instanceof Fault) return sentence(error.code, language, error.details.with);
  if (error instanceof BackupError) return sentence(`backup.${error.flaw}`, language, error.about);
  throw error;
};

const rowOf = (
  { name, manifest, isWhole, at, bytes }: Shelved,
  proofs: ReadonlyMap<string, Date>,
): BackupRow => ({
  name,
  cause: manifest?.cause ?? null,
  made_at: new Date(at).toISOString(),
  whole: manifest?.whole ?? false,
  tables: manifest?.tables.length ?? 0,
  rows: manifest ? rowsOf(manifest) : 0,
  volumes: manifest ? volumesOf(manifest).length : 0,
  compression: manifest?.compression ?? null,
  encrypted: manifest?.encryption != null,
  bytes,
  state: isWhole ? 'complete' : 'damaged',
  proved_at: proofs.get(name)?.toISOString() ?? null,
});

const sorted = <Row>(rows: readonly Row[], sort: string | undefined, fallback: string): Row[] => {
  const by = sort ?? fallback;
  const key = by.replace(/^-/, '') as keyof Row;
  const sign = by.startsWith('-') ? -1 : 1;
  const compare = (a: Row, b: Row) => {
    const [x, y] = [a[key] ?? '', b[key] ?? ''];
    return x < y ? -sign : x > y ? sign : 0;
  };
  return [...rows].sort(compare);
};
const paged = <Row>(rows: readonly Row[], { page, limit }: { page: number; limit: number }) => ({
  list: rows.slice((page - 1) * limit, page * limit),
  total: rows.length,
  page,
  limit,
});

/** Requires role 1, and its password in this call. */
const mustAct = async (call: MaintenanceCall, provePassword: ProvePassword): Promise<void> => {
  if (!mayMaintainDatabase(call.caller.role)) fault('backup.admin');
  await proveIdentity(call, provePassword, call.body.password);
};

export const backupRoutes = (
  serve: Serve,
  { provePassword, vault, dataDir, databaseUrl }: BackupRoutesDeps,
): void => {
  const shelf = shelfOf(dataDir);
  const begin = async (
    call: MaintenanceCall,
    job: Pick<NewJob, 'kind'> & {
      tables?: readonly string[] | null;
      backup?: string | null;
      passphrase?: string | null;
    },
  ) => {
    const { db, caller, now } = call;
    const job_id = await maintenanceStore(db).create({
      kind: job.kind,
      cause: 'manual',
      tables: job.tables ?? null,
      backup: job.backup ?? null,
      passphrase: job.passphrase ? await vault.seal(job.passphrase) : null,
      by: caller,
      now,
    });
    call.note({ job_id });
    call.emit('maintenance.changed', {});
    return { job_id };
  };

  const tablesOf = async (db: Db, filter: BodyOf<typeof endpoints.exportTables>) => {
    const rows = await tableList(db, await readShelf(shelf));
    return rows.filter(
      ({ name, status }) =>
        (filter.name === undefined || name.includes(filter.name.toLowerCase())) &&
        (filter.status === undefined || status === filter.status),
    );
  };
  serve(endpoints.tables, async ({ db, body }) =>
    paged(sorted(await tablesOf(db, body), body.sort, '-size_bytes'), body),
  );
  serve(endpoints.exportTables, async (call) =>
    sendTable(call, tableSheet, eachOf(sorted(await tablesOf(call.db, call.body), 'name', 'name'))),
  );

  serve(endpoints.summary, async ({ db, now, language }) => {
    const store = maintenanceStore(db);
    const [backups, schedule, last, passed] = await Promise.all([
      readShelf(shelf),
      backupSchedule(db),
      store.lastDrill(false),
      store.lastDrill(true),
    ]);
    await mkdir(shelf, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(shelf);
    const newest = backups.find(({ isWhole, manifest }) => isWhole && manifest?.whole);
    const at = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());
    const seconds = last
      ? (last.ended_at!.getTime() - (last.started_at ?? last.ended_at!).getTime()) / 1000
      : 0;
    return {
      last_backup: newest ? { name: newest.name, at: new Date(newest.at).toISOString() } : null,
      last_drill: last
        ? {
            backup: last.backup,
            at: last.ended_at!.toISOString(),
            passed: last.state === 'done',
            rows: Number(last.result['rows'] ?? 0),
            seconds: Math.round(seconds),
            message:
              last.fault === null ? null : sentence(last.fault as FaultCode, language, last.fault_with),
          }
        : null,
      proved_at: passed?.ended_at?.toISOString() ?? null,
      next_backup_at: at(nextBackup(schedule, null, now)),
      next_drill_at: at(nextDrill(schedule, last?.ended_at?.getTime() ?? null, now)),
      backups: backups.length,
      backups_bytes: backups.reduce((sum, { bytes }) => sum + bytes, 0),
      free_bytes: bavail * bsize,
    };
  });

  serve(endpoints.backup, async (call) => {
    await mustAct(call, provePassword);
    const { tables, passphrase } = call.body;
    const known = tables === undefined ? null : withCompanions(await knownTables(call.db, tables));
    const left = known?.find((name) => !isBackedUp(name));
    if (left !== undefined) fault('backup.excluded', { with: { table: left } });
    return begin(call, { kind: 'backup', tables: known, passphrase: passphrase ?? null });
  });
  serve(endpoints.optimise, async (call) => {
    await mustAct(call, provePassword);
    return begin(call, { kind: 'optimise', tables: await knownTables(call.db, call.body.tables) });
  });
  serve(endpoints.repair, async (call) => {
    await mustAct(call, provePassword);
    return begin(call, { kind: 'repair', tables: await knownTables(call.db, call.body.tables) });
  });

  const backupsOf = async (db: Db, filter: BodyOf<typeof endpoints.exportBackups>) => {
    const proofs = await maintenanceStore(db).proofs();
    const found = (await readShelf(shelf)).filter(
      ({ manifest }) =>
        (filter.cause === undefined || manifest?.cause === filter.cause) &&
        (filter.table === undefined || manifest?.tables.some(({ name }) => name === filter.table)),
    );
    return found.map((each) => rowOf(each, proofs));
  };
  serve(endpoints.backups, async ({ db, body }) =>
    paged(sorted(await backupsOf(db, body), body.sort, '-made_at'), body),
  );
  serve(endpoints.exportBackups, async (call) =>
    sendTable(call, backupSheet, eachOf(sorted(await backupsOf(call.db, call.body), undefined, '-made_at'))),
  );

  serve(endpoints.contents, ({ db, body, language }) =>
    asFault(async () => {
      const folder = await folderOf(shelf, body.name);
      const manifest = await readManifest(folder);
      const row = (await readShelf(shelf)).find(({ name }) => name === body.name)!;
      const message = await whyNot(databaseUrl, folder).then(
        () => null,
        (error: unknown) => sayError(error, language),
      );
      return {
        ...rowOf(row, await maintenanceStore(db).proofs()),
        version: manifest.version,
        contents: manifest.tables.map(({ name, pieces }) => ({
          name,
          rows: pieces.reduce((sum, each) => sum + each.rows, 0),
          bytes: pieces.reduce((sum, each) => sum + each.bytes, 0),
        })),
        restorable: message === null && row.isWhole,
        message: message ?? (row.isWhole ? null : sentence('backup.damaged', language, { file: body.name })),
      };
    }),
  );

  serve(endpoints.permitDownload, async (call) => {
    await mustAct(call, provePassword);
    const { name } = call.body;
    await asFault(() => folderOf(shelf, name));
    const until = call.now + permitMs;
    const mac = await vault.sign(permitText(call.caller.userId, name, until));
    return { ticket: `${name}.${until}.${mac}`, file_name: `ampwatch-${name}.tar` };
  });
  serve(endpoints.download, async ({ body, caller, now, reply }) => {
    const [name = '', until = '', mac = ''] = body.ticket.split('.');
    const isMine = await vault.isSigned(permitText(caller.userId, name, Number(until)), mac);
    if (!isMine || Number(until) < now) fault('backup.permit');
    return asFault(async () => {
      const folder = await folderOf(shelf, name);
      const manifest = await readManifest(folder);
      return reply
        .header('content-disposition', `attachment; filename="ampwatch-${name}.tar"`)
        .type('application/x-tar')
        .send(Readable.from(archiveOf(folder, manifest), { objectMode: false }));
    });
  });

  serve(endpoints.restore, async (call) => {
    const { name, tables, passphrase, confirm } = call.body;
    await mustAct(call, provePassword);
    if (confirm.trim() !== name) fault('request.invalid', { fields: { confirm: 'backup.confirm' } });
    await asFault(async () => {
      const folder = await folderOf(shelf, name);
      await openManifest(folder, passphrase ?? null);
      await whyNot(databaseUrl, folder, tables);
    });
    return begin(call, {
      kind: 'restore',
      backup: name,
      tables: tables ? withCompanions(tables) : null,
      passphrase: passphrase ?? null,
    });
  });

  serve(endpoints.remove, async (call) => {
    await mustAct(call, provePassword);
    const left: { name: string; message: string }[] = [];
    const inUse = await namesInUse(call);
    const { language, body } = call;
    for (const name of new Set(body.names)) {
      if (inUse.has(name)) {
        left.push({ name, message: sentence('backup.inUse', language) });
        continue;
      }
      try {
        await removeBackup(shelf, name);
      } catch (error) {
        left.push({ name, message: sayError(error, language) });
      }
    }
    return { done: new Set(body.names).size - left.length, left };
  });

  serve(endpoints.drill, async (call) => {
    await mustAct(call, provePassword);
    const { name, passphrase } = call.body;
    if (name !== undefined)
      await asFault(async () => openManifest(await folderOf(shelf, name), passphrase ?? null));
    const sealed =
      passphrase === undefined ? await storedPassphrase(vault, await backupSchedule(call.db)) : null;
    return begin(call, { kind: 'drill', backup: name ?? null, passphrase: passphrase ?? sealed });
  });

  serve(endpoints.jobs, ({ db, body, language }) => maintenanceStore(db).list(body, language));
  serve(endpoints.exportJobs, (call) => {
    const { db, body, language } = call;
    const rows = everyRow((at) =>
      maintenanceStore(db).list({ ...body, ...at, sort: 'created_at' }, language),
    );
    return sendTable(call, jobSheet, rows);
  });
  serve(endpoints.job, ({ db, body, language }) => maintenanceStore(db).find(body.job_id, language));
  serve(endpoints.cancel, async ({ db, body, caller, now, language }) => {
    if (!mayMaintainDatabase(caller.role)) fault('backup.admin');
    await maintenanceStore(db).askToCancel(body.job_id, now);
    return maintenanceStore(db).find(body.job_id, language);
  });

  const scheduleReply = ({ sealed, ...schedule }: StoredSchedule) => ({
    ...schedule,
    encrypted: sealed !== null,
    zone: defaultZone,
  });
  serve(endpoints.schedule, async ({ db }) => scheduleReply(await backupSchedule(db)));
  serve(endpoints.setSchedule, async (call) => {
    await mustAct(call, provePassword);
    const { password: _password, passphrase, ...given } = call.body;
    const before = await backupSchedule(call.db);
    const sealed =
      passphrase === undefined
        ? before.sealed
        : passphrase === ''
          ? null
          : (await vault.seal(passphrase)).toString('base64');
    await storeSchedule(call.db, { ...given, sealed }, call.now);
    call.note({ before: scheduleReply(before) });
    call.emit('maintenance.planned', {});
    return scheduleReply({ ...given, sealed });
  });
};

const permitText = (userId: number, name: string, until: number): string =>
  `download ${userId} ${name} ${until}`;

/** Throws the reason why the backup cannot be restored into this database. */
const whyNot = async (
  databaseUrl: string,
  folder: string,
  tables: readonly string[] | null = null,
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'`);
    await matchTargets(client, await readManifest(folder), tables);
  } finally {
    await client.end();
  }
};

/** Backups that a job is reading or will read. */
const namesInUse = async ({ db }: Pick<MaintenanceCall, 'db'>): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom('maintenance_jobs')
    .select('backup')
    .where('state', 'in', ['queued', 'running', 'swapping'])
    .where('backup', 'is not', null)
    .execute();
  return new Set(rows.map(({ backup }) => backup!));
};
