import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf } from '#server/core/account.ts';
import { deviceBulk } from '#server/devices/bulk.ts';
import { makeDevice, makePart, makeProject, makeTag, makeUser } from '#test/factories.ts';
import { makeRollout } from '#test/rollouts.ts';
import { eventually } from '#test/wait.ts';
import { type BackupWorld, createBackupWorld } from './backups.world.ts';

const english = { 'accept-language': 'en' };
const passphrase = 'correct horse battery staple';
let world: BackupWorld;
beforeAll(async () => {
  world = await createBackupWorld();
});
afterAll(() => world.close());

const backUp = async (body: object = {}): Promise<string> => {
  world.clock.advance(1000);
  const job = await world.run('/database/backup', body);
  expect(job).toMatchObject({ state: 'done', message: null });
  return job.backup;
};
const listed = async (body: object = {}) =>
  (await world.admin.call('/database/get_backups', { limit: 200, ...body }, english)).data.list;
/** Changes, deletes and adds rows in many tables. */
const damage = async () => {
  await world.db.updateTable('projects').set({ name: 'Overwritten', contact_phone: '' }).execute();
  await sql`truncate alarms, alarm_history`.execute(world.db);
  await sql`delete from readings where line_id % 2 = 0`.execute(world.db);
  await sql`update readings set channels = '{999}'`.execute(world.db);
  await sql`insert into settings (key, value, updated_at) values ('strange', '{}', now()) on conflict do nothing`.execute(
    world.db,
  );
};
/** The operation log continues: the restored rows are now its first ones. */
const withoutLog = ({ operation_log: _log, operation_log_head: _head, ...rows }: Record<string, string[]>) =>
  rows;
/** Flips one bit of a backup's first volume. */
const flip = async (name: string) => {
  const files = (await readdir(path.join(world.shelf, name)))
    .filter((file) => file !== 'manifest.json')
    .sort();
  const file = await open(path.join(world.shelf, name, files[0]!), 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, 20);
  await file.write(Buffer.from([byte[0]! ^ 4]), 0, 1, 20);
  await file.close();
};

describe('a backup of everything', () => {
  it('a restore brings back every damaged row, and backs up the data that it replaces', async () => {
    const name = await backUp();
    const before = await world.rows();
    await damage();
    const damaged = await world.rows();
    expect(damaged).not.toEqual(before);
    const log = (await sql`select id, hash from operation_log order by id`.execute(world.db)).rows;
    const job = await world.run('/database/restore', { name, confirm: name });
    expect(job).toMatchObject({ state: 'done', backup: name, message: null, result: { log_kept: true } });
    const after = await world.rows();
    for (const [table, rows] of Object.entries(withoutLog(before))) expect(after[table], table).toEqual(rows);
    const kept = (await sql`select id, hash from operation_log order by id`.execute(world.db)).rows;
    expect(kept.slice(0, log.length)).toEqual(log);
    expect(
      await world.db
        .selectFrom('operation_log')
        .select('key')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    ).toEqual({ key: 'database.restored' });
    // The data that the restore replaced can be restored in turn.
    const { snapshot } = job.result;
    expect(await world.run('/database/restore', { name: snapshot, confirm: snapshot })).toMatchObject({
      state: 'done',
    });
    const again = await world.rows();
    for (const [table, rows] of Object.entries(withoutLog(damaged)))
      expect(again[table], table).toEqual(rows);
    await world.run('/database/restore', { name, confirm: name });
  });

  it('a backup of everything does not restore the reports of nodes, because an ended node must not count as missing', async () => {
    const [then, present] = [randomUUID(), randomUUID()];
    const report = (node: string) =>
      world.db
        .insertInto('node_reports')
        .values({
          ...{ node, name: node, role: 'all', version: '0', facts: '{}' },
          ...{ started_at: new Date(0), seen_at: new Date(0) },
        })
        .execute();
    await report(then);
    const name = await backUp();
    await world.db.deleteFrom('node_reports').where('node', '=', then).execute();
    await report(present);
    expect(await world.run('/database/restore', { name, confirm: name })).toMatchObject({ state: 'done' });
    const nodes = await world.db.selectFrom('node_reports').select('node').execute();
    await world.db.deleteFrom('node_reports').execute();
    expect(nodes).toEqual([{ node: present }]);
  });

  it('a restore of everything ends every session, and never assigns an id twice', async () => {
    const name = await backUp();
    const before = await sql<{ v: number }>`select nextval('alarm_ids') as v`.execute(world.db);
    const stale = world.admin;
    await world.run('/database/restore', { name, confirm: name });
    expect((await stale.call('/database/summary')).status).toBe(401);
    const after = await sql<{ v: number }>`select nextval('alarm_ids') as v`.execute(world.db);
    expect(Number(after.rows[0]!.v)).toBeGreaterThan(Number(before.rows[0]!.v));
  });

  it('the lists show what a backup contains, and when each table was last backed up', async () => {
    const name = await backUp();
    expect((await listed()).find((row: { name: string }) => row.name === name)).toMatchObject({
      cause: 'manual',
      whole: true,
      state: 'complete',
      encrypted: false,
      compression: 'zstd',
      proved_at: null,
    });
    const tables = (await world.admin.call('/database/get_list', { limit: 200 }, english)).data.list;
    const of = (table: string) => tables.find((row: { name: string }) => row.name === table);
    expect(of('readings')).toMatchObject({
      status: 'completed',
      last_backup: { name },
      partitions: expect.any(Number),
    });
    expect(of('sessions')).toMatchObject({ status: 'excluded', last_backup: null });
    expect(of('readings').size_bytes).toBeGreaterThan(of('readings').data_bytes);
    expect(of('device_jobs').created_at).not.toBeNull();
    const { data } = await world.admin.call('/database/get_backup', { name }, english);
    expect(data).toMatchObject({ restorable: true, message: null });
    expect(data.contents.find((table: { name: string }) => table.name === 'projects').rows).toBe(2);
  });
});

describe('what cannot be restored', () => {
  const refusal = async (name: string, body: object = {}) => {
    const before = await world.rows();
    const job = await world.run('/database/restore', { name, confirm: name, ...body });
    expect(withoutLog(await world.rows())).toEqual(withoutLog(before));
    expect((await sql`select from pg_namespace where nspname = 'restoring'`.execute(world.db)).rows).toEqual(
      [],
    );
    return job;
  };
  it('a flipped bit is found before anything is changed', async () => {
    const name = await backUp();
    await flip(name);
    expect(await refusal(name)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('damaged'),
    });
  });
  it('a flipped bit of an encrypted backup is found too', async () => {
    const name = await backUp({ passphrase });
    await flip(name);
    expect(await refusal(name, { passphrase })).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('damaged'),
    });
  });
  it('an edited manifest is refused at once', async () => {
    const name = await backUp({ tables: ['projects'] });
    const file = path.join(world.shelf, name, 'manifest.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"whole": false', '"whole": true'));
    expect(await world.act('/database/restore', { name, confirm: name })).toMatchObject({ status: 409 });
    expect((await listed()).find((row: { name: string }) => row.name === name).state).toBe('damaged');
    await world.act('/database/del_backup', { names: [name] });
  });
  it('a wrong passphrase, or none, is refused at once', async () => {
    const name = await backUp({ passphrase });
    for (const [given, words] of [
      [{ passphrase: `${passphrase}!` }, 'The passphrase is wrong'],
      [{}, 'The backup is encrypted: enter its passphrase'],
    ] as const)
      expect(await world.act('/database/restore', { name, confirm: name, ...given })).toMatchObject({
        status: 409,
        msg: words,
      });
    await damage();
    expect(await world.run('/database/restore', { name, confirm: name, passphrase })).toMatchObject({
      state: 'done',
    });
    expect((await world.rows())['settings']!.join()).not.toContain('strange');
  });
  it('a backup of another schema is refused, with an instruction how to restore it', async () => {
    const name = await backUp({ tables: ['settings'] });
    await sql`insert into migrations (name) values ('9999_future.sql')`.execute(world.db);
    const older = await world.act('/database/restore', { name, confirm: name });
    expect(older).toMatchObject({ status: 409, msg: expect.stringContaining('from an older version') });
    const newer = await backUp({ tables: ['settings'] });
    await sql`delete from migrations where name = '9999_future.sql'`.execute(world.db);
    expect(await world.act('/database/restore', { name: newer, confirm: newer })).toMatchObject({
      status: 409,
      msg: expect.stringContaining('from a newer version'),
    });
    await sql`alter table settings add column extra int`.execute(world.db);
    expect(await world.act('/database/restore', { name, confirm: name })).toMatchObject({
      status: 409,
      msg: 'Table “settings” differs from the backup in its structure',
    });
    await sql`alter table settings drop column extra`.execute(world.db);
  });
  it('restoring a table that other rows refer to is refused with the constraint, and nothing is changed', async () => {
    const name = await backUp({ tables: ['projects'] });
    await sql`insert into projects (code, name, region_id, lat, lng, joined_at) values ('PX', 'New', 440305, 1, 1, now())`.execute(
      world.db,
    );
    await sql`insert into project_parts (project_id, name) select id, 'x' from projects where code = 'PX'`.execute(
      world.db,
    );
    expect(await refusal(name)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('project_parts_project_id_fkey'),
    });
    await sql`delete from project_parts where name = 'x'`.execute(world.db);
    expect(await world.run('/database/restore', { name, confirm: name })).toMatchObject({ state: 'done' });
    expect((await world.rows())['projects']!.join()).not.toContain('PX');
  });
  it('a restore requires the name of the backup to be typed', async () => {
    const name = await backUp({ tables: ['settings'] });
    expect(await world.act('/database/restore', { name, confirm: 'yes' })).toMatchObject({
      status: 422,
      data: { confirm: 'Type the name of the backup to confirm' },
    });
  });
});

describe('a job', () => {
  it('a backup without room on the disk leaves no partial backup', async () => {
    await world.stopWorker();
    world.startWorker({ reserveBytes: 2 ** 52 });
    const before = await readdir(world.shelf);
    expect(await world.run('/database/backup')).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('The disk is full'),
    });
    expect(await readdir(world.shelf)).toEqual(before);
    await world.stopWorker();
    world.startWorker();
  });

  it('a backup interrupted by a killed server is started again, and its partial files are deleted', async () => {
    await world.stopWorker();
    const { data } = await world.act('/database/backup', { tables: ['settings'] });
    await world.db
      .updateTable('maintenance_jobs')
      .set({ state: 'running', attempts: 1 })
      .where('id', '=', data.job_id)
      .execute();
    const half = path.join(world.shelf, '.20200101-000000-abcdef.partial');
    await mkdir(half);
    world.startWorker();
    expect(await world.ended(data.job_id)).toMatchObject({ state: 'done' });
    expect(await readdir(world.shelf)).not.toContain(path.basename(half));
  });

  it('a backup that ends its server every time is not retried', async () => {
    await world.stopWorker();
    const { data } = await world.act('/database/optimize', { tables: ['settings'] });
    await world.db
      .updateTable('maintenance_jobs')
      .set({ state: 'running', attempts: 3 })
      .where('id', '=', data.job_id)
      .execute();
    world.startWorker();
    expect(await world.ended(data.job_id)).toMatchObject({
      state: 'failed',
      message: 'The server ended several times during the job, so the job was given up',
    });
  });

  it('a waiting backup can be cancelled', async () => {
    await world.stopWorker();
    const { data } = await world.act('/database/backup');
    expect(
      (await world.admin.call('/database/cancel_job', { job_id: data.job_id }, english)).data,
    ).toMatchObject({
      state: 'cancelled',
      may_cancel: false,
    });
    expect((await world.admin.call('/database/cancel_job', { job_id: data.job_id }, english)).status).toBe(
      409,
    );
    world.startWorker();
  });

  it('a job stores its passphrase encrypted, and only until it has ended', async () => {
    await world.stopWorker();
    const { data } = await world.act('/database/backup', { tables: ['settings'], passphrase });
    const stored = async () =>
      (
        await world.db
          .selectFrom('maintenance_jobs')
          .select('passphrase')
          .where('id', '=', data.job_id)
          .executeTakeFirstOrThrow()
      ).passphrase;
    expect((await stored())?.toString('latin1')).not.toContain(passphrase);
    expect(await stored()).not.toBeNull();
    world.startWorker();
    await world.ended(data.job_id);
    expect(await stored()).toBeNull();
    const log = await sql<{ p: string }>`select parameters::text as p from operation_log`.execute(world.db);
    expect(log.rows.map(({ p }) => p).join()).not.toContain(passphrase);
  });
});

describe('who may act', () => {
  it('viewing backups requires letter L; acting requires role 1 and the password in the call', async () => {
    const letterL = await world.as((await makeUser(world.db, { role: 100, letters: 'L' })).id);
    expect((await letterL.call('/database/get_list')).status).toBe(200);
    expect((await letterL.call('/database/summary')).status).toBe(200);
    for (const [callPath, body] of [
      ['/database/backup', {}],
      ['/database/optimize', { tables: ['settings'] }],
      ['/database/repair', { tables: ['settings'] }],
      ['/database/drill', {}],
      ['/database/del_backup', { names: ['x'] }],
    ] as const) {
      expect((await world.act(callPath, body, letterL)).status, callPath).toBe(403);
      expect(await world.act(callPath, { ...body, password: 'wrong' }), callPath).toMatchObject({
        status: 422,
      });
      expect((await world.admin.call(callPath, body)).status, callPath).toBe(422);
      world.clock.advance(600_000);
    }
  });

  it('a table name that is not in the catalogue is refused', async () => {
    for (const table of ['nobody', 'settings; drop table settings', '"settings"', 'pg_class', 'Settings'])
      for (const callPath of ['/database/backup', '/database/optimize', '/database/repair'])
        expect(await world.act(callPath, { tables: [table] }), table).toMatchObject({
          status: 404,
          msg: `The database has no table “${table}”`,
        });
    expect(await world.act('/database/backup', { tables: ['sessions'] })).toMatchObject({ status: 409 });
  });

  it('a backup is identified only by the name of an existing backup', async () => {
    for (const name of ['../etc', '.', '..', 'x/y', '', 'nobody'])
      for (const callPath of ['/database/restore', '/database/permit_download'])
        expect([404, 422]).toContain((await world.act(callPath, { name, confirm: name })).status);
  });
});

describe('upkeep', () => {
  it('optimising frees the space of deleted rows', async () => {
    await sql`create table bloated as select n, repeat('x', 500) as t from generate_series(1, 5000) n`.execute(
      world.db,
    );
    await sql`delete from bloated`.execute(world.db);
    const size = async () =>
      Number((await sql<{ b: number }>`select pg_table_size('bloated') as b`.execute(world.db)).rows[0]!.b);
    const before = await size();
    // Readers of an older state of the database, such as its own statistics, keep the rows a moment longer.
    await eventually(async () => {
      expect(await world.run('/database/optimize', { tables: ['bloated', 'readings'] })).toMatchObject({
        state: 'done',
      });
      return (await size()) < before / 10;
    });
    await sql`drop table bloated`.execute(world.db);
  });

  it('repairing rebuilds indexes and names rows that break a constraint', async () => {
    const indexNode = async () =>
      (await sql<{ f: number }>`select pg_relation_filenode('projects_pkey') as f`.execute(world.db)).rows[0]!
        .f;
    const before = await indexNode();
    await world.db.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql`insert into project_parts (project_id, name) values (987654, 'orphan')`.execute(trx);
    });
    expect(await world.run('/database/repair', { tables: ['project_parts', 'projects'] })).toMatchObject({
      state: 'done',
      result: {
        findings: [
          { table: 'project_parts', constraint: 'project_parts_project_id_fkey', kind: 'foreign', rows: 1 },
        ],
      },
    });
    expect(await indexNode()).not.toBe(before);
    await sql`delete from project_parts where name = 'orphan'`.execute(world.db);
  });
});

describe('a restore drill', () => {
  it('a restore drill proves the newest backup in a scratch database and removes that database', async () => {
    const name = await backUp({ passphrase });
    const before = await world.rows();
    expect(await world.run('/database/drill', { name, passphrase })).toMatchObject({
      state: 'done',
      backup: name,
    });
    expect(withoutLog(await world.rows())).toEqual(withoutLog(before));
    const { data } = await world.admin.call('/database/summary', {}, english);
    expect(data).toMatchObject({
      last_backup: { name },
      last_drill: { backup: name, passed: true, message: null },
    });
    expect(data.last_drill.rows).toBeGreaterThan(1000);
    expect((await listed()).find((row: { name: string }) => row.name === name).proved_at).not.toBeNull();
    const scratch = await sql`select from pg_database where datname like 'ampwatch_drill_%'`.execute(
      world.db,
    );
    expect(scratch.rows).toEqual([]);
  });

  it('a failed drill reports the damaged backup, and the last successful drill stays recorded', async () => {
    world.clock.advance(60_000);
    const name = await backUp();
    await flip(name);
    expect(await world.run('/database/drill')).toMatchObject({ state: 'failed', backup: name });
    const { data } = await world.admin.call('/database/summary', {}, english);
    expect(data.last_drill).toMatchObject({
      backup: name,
      passed: false,
      message: expect.stringContaining('damaged'),
    });
    expect(data.proved_at).not.toBeNull();
    expect(await world.act('/database/del_backup', { names: [name, 'nobody'] })).toMatchObject({
      status: 200,
      data: { done: 1, left: [{ name: 'nobody', message: 'There is no such backup' }] },
    });
  });
});

describe('a download', () => {
  const get = (ticket: string, client = world.admin) =>
    world.app.inject({
      method: 'GET',
      url: `/database/download?ticket=${encodeURIComponent(ticket)}`,
      headers: { authorization: client.token },
    });
  it('a downloaded backup is an archive that can be unpacked and restored elsewhere', async () => {
    const name = await backUp();
    const { data } = await world.act('/database/permit_download', { name });
    const answer = await get(data.ticket);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="ampwatch-${name}.tar"`);
    const folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-tar-'));
    await writeFile(path.join(folder, 'a.tar'), answer.rawPayload);
    await promisify(execFile)('tar', ['-xf', 'a.tar'], { cwd: folder });
    await rm(path.join(world.shelf, name), { recursive: true });
    await rename(path.join(folder, name), path.join(world.shelf, name));
    await rm(folder, { recursive: true });
    expect(await world.run('/database/restore', { name, confirm: name })).toMatchObject({ state: 'done' });
  });
  it('a download needs a recent permit of the same user', async () => {
    const name = await backUp({ tables: ['settings'] });
    const { data } = await world.act('/database/permit_download', { name });
    const other = await world.as((await makeUser(world.db, { role: 1 })).id);
    expect((await get(data.ticket, other)).statusCode).toBe(403);
    expect(
      (await get(data.ticket.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')))).statusCode,
    ).toBe(403);
    world.clock.advance(61_000);
    expect((await get(data.ticket)).statusCode).toBe(403);
  });
});

describe('the schedule', () => {
  const given = {
    enabled: true,
    time: '03:15',
    keep_days: 10,
    keep_least: 2,
    keep_gigabytes: 5,
    drill_days: 3,
  };
  it('the schedule is set with the password and never returns the passphrase', async () => {
    const set = await world.act('/database/set_schedule', { ...given, passphrase });
    expect(set).toMatchObject({ status: 200, data: { ...given, encrypted: true } });
    expect(JSON.stringify((await world.admin.call('/database/get_schedule')).data)).not.toContain('horse');
    const stored = await sql<{
      v: string;
    }>`select value::text as v from settings where key = 'backups'`.execute(world.db);
    expect(stored.rows[0]!.v).not.toContain('horse');
    expect((await world.act('/database/set_schedule', { ...given, time: '25:00' })).data).toEqual({
      time: 'Enter a time such as 02:30',
    });
    expect((await world.act('/database/set_schedule', given)).data.encrypted).toBe(true);
    expect((await world.act('/database/set_schedule', { ...given, passphrase: '' })).data.encrypted).toBe(
      false,
    );
    const { data } = await world.admin.call('/database/summary');
    expect(data.next_backup_at).toBe('2026-11-20T19:15:00.000Z');
  });
});

it('shows the progress of a job', async () => {
  await world.stopWorker();
  const { data } = await world.act('/database/backup');
  const jobs = (await world.admin.call('/database/get_jobs', { running: true }, english)).data;
  expect(jobs.list[0]).toMatchObject({ job_id: data.job_id, state: 'queued', may_cancel: true });
  world.startWorker();
  const done = await eventually(async () => {
    const job = (await world.admin.call('/database/get_job', { job_id: data.job_id })).data;
    return job.state === 'done' && job;
  });
  expect(done.result).toMatchObject({ tables: expect.any(Number), bytes: expect.any(Number) });
});

it('a restore keeps the lock-out tags, owed inspections, interlocks and disabled remote control that the backup does not have', async () => {
  const { db, clock } = world;
  const [here, elsewhere] = [await makeProject(db), await makeProject(db)];
  const device = (project_id: number) => makeDevice(db, { project_id, lines: 2 });
  const [tagged, lined, moved, tripped, switchedOff] = [
    await device(here.id),
    await device(here.id),
    await device(elsewhere.id),
    await device(here.id),
    await device(here.id),
  ];
  const name = await backUp();
  const owner = (await makeUser(db, { role: 1 })).id;
  const later = await makeProject(db);
  const late = await device(later.id);
  const at = clock.now() + 1000;
  const set = (on: Parameters<typeof makeTag>[1], reason: string) => makeTag(db, on, { owner, at, reason });
  await set({ device_id: tagged.id }, 'Busbar work');
  await set({ line_id: lined.lines[1]!.id }, 'Fuse out');
  await set({ device_id: late.id }, 'Not in the backup');
  // A device that came into a tagged project after the backup, which does not know the project.
  await db.updateTable('devices').set({ project_id: later.id }).where('id', '=', moved.id).execute();
  await set({ project_id: later.id }, 'Whole building');
  await set({ project_id: elsewhere.id }, 'Whole street');
  const trip = {
    device_id: tripped.id,
    line_id: tripped.lines[0]!.id,
    at: new Date(at),
    received_at: new Date(at),
  };
  await db
    .insertInto('line_trips')
    .values({ ...trip, code: 301, grave: true })
    .execute();
  const openEvents = { own_ended: false, others: [{ event_id: 'another', at: at - 1000, event: null }] };
  await sql`insert into line_conditions (line_id, code, phase, device_id, since, source, latched, open_events) values
    (${trip.line_id}, 501, 0, ${tripped.id}, ${trip.at}, 'device', true, ${JSON.stringify(openEvents)})`.execute(
    db,
  );
  await db.updateTable('devices').set({ net_ctrl: false }).where('id', '=', switchedOff.id).execute();
  const job = await world.run('/database/restore', { name, confirm: name });
  expect(job).toMatchObject({
    state: 'done',
    result: { tags_kept: 4, inspections_kept: 1, tags_lost: [late.number] },
  });
  const tags = await db
    .selectFrom('active_tags')
    .select(['device_id', 'line_id', 'reason'])
    .orderBy('device_id')
    .orderBy('reason')
    .execute();
  expect(tags).toEqual([
    { device_id: tagged.id, line_id: null, reason: 'Busbar work' },
    { device_id: lined.id, line_id: lined.lines[1]!.id, reason: 'Fuse out' },
    // It does not go back to the project that it left; the tag there covers no device.
    { device_id: moved.id, line_id: null, reason: 'Whole building' },
    { device_id: null, line_id: null, reason: 'Whole street' },
  ]);
  const owed = await db.selectFrom('uninspected_trips').select('line_id').execute();
  expect(owed).toEqual([{ line_id: trip.line_id }]);
  const held = await sql`select line_id, code, open_events from line_conditions where code = 501`.execute(db);
  expect(held.rows).toEqual([{ line_id: trip.line_id, code: 501, open_events: openEvents }]);
  const off = await db.selectFrom('devices').select('id').where('net_ctrl', '=', false).execute();
  expect(off).toEqual([{ id: switchedOff.id }]);
  const log = await db
    .selectFrom('operation_log')
    .select('parameters')
    .where('key', '=', 'database.restored')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  expect(log!.parameters).toMatchObject({ carried: { tags: 4, inspections: 1, lost: [late.number] } });
  // Restoring once more changes nothing of it: neither is kept twice.
  expect(await world.run('/database/restore', { name, confirm: name })).toMatchObject({
    result: { tags_kept: 4, tags_lost: [] },
  });
  expect(await db.selectFrom('active_tags').select('tag_id').execute()).toHaveLength(4);
  for (const table of ['lockout_tags', 'line_trips', 'line_conditions'] as const)
    await db.deleteFrom(table).execute();
  await db.updateTable('devices').set({ net_ctrl: true }).execute();
});

/** What the accounts may do now, by id; an account that may do nothing is missing. */
const rightsOf = async (ids: readonly number[]) => Object.fromEntries(await accountsOf(world.db, ids));

it('a restore gives nobody a right back, and no password, that was taken away after the backup', async () => {
  const { db } = world;
  const [kept, left] = [await makeProject(db), await makeProject(db)];
  const part = await makePart(db, kept.id);
  const user = (role: number, given: object = {}) => makeUser(db, { role, letters: 'AB', ...given });
  const [deleted, off, demoted, narrowed, partly, renamed] = [
    await user(100),
    await user(101),
    await user(1),
    await user(3, { projects: [kept, left] }),
    await user(32, {
      projects: [
        { id: kept.id, parts: [part.id] },
        { id: left.id, parts: [] },
      ],
    }),
    await user(102, { username: 'Before' }),
  ];
  const goneRole = await db
    .insertInto('roles')
    .values({ code: 180, name: 'Gone', letters: 'AB' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const set = (id: number, change: object) =>
    db.updateTable('users').set(change).where('id', '=', id).execute();
  await set(off.id, { role_id: goneRole.id });
  const name = await backUp();
  await set(deleted.id, { deleted_at: new Date(), enabled: false });
  await set(off.id, { enabled: false, role_id: deleted.role_id });
  await db.deleteFrom('roles').where('id', '=', goneRole.id).execute();
  await set(demoted.id, { role_id: deleted.role_id, password_hash: 'another', sessions_from: new Date() });
  await db.deleteFrom('user_projects').where('project_id', '=', left.id).execute();
  await db.updateTable('roles').set({ letters: 'A' }).where('code', '=', 102).execute();
  await set(renamed.id, { username: 'After' });
  // Accounts and roles that the backup does not know, with the names and codes that became free.
  const newRole = await db
    .insertInto('roles')
    .values({ code: 180, name: 'Gone', letters: 'A', owner_id: demoted.id })
    .returning('id')
    .executeTakeFirstOrThrow();
  const added = await user(103, { username: 'before' });
  await set(added.id, { role_id: newRole.id });
  const ids = [deleted, off, demoted, narrowed, partly, renamed, added].map(({ id }) => id);
  const [rights, accounts] = [
    await rightsOf(ids),
    await db.selectFrom('users').selectAll().where('id', '<>', deleted.id).orderBy('id').execute(),
  ];
  const job = await world.run('/database/restore', { name, confirm: name });
  expect(job).toMatchObject({ state: 'done', result: { accounts: 'kept', accounts_off: 1 } });
  expect(await rightsOf(ids)).toEqual(rights);
  expect(
    await db.selectFrom('users').selectAll().where('id', '<>', deleted.id).orderBy('id').execute(),
  ).toEqual(accounts);
  const back = db.selectFrom('users').select(['enabled', 'deleted_at']).where('id', '=', deleted.id);
  expect(await back.executeTakeFirst()).toEqual({ enabled: false, deleted_at: null });
  const log = await db
    .selectFrom('operation_log')
    .select('parameters')
    .where('key', '=', 'database.restored')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  expect(log!.parameters).toMatchObject({ withdrawn: { named: { accounts: [deleted.username] } } });
});

it('a restore brings no closing timer, waiting setting, job or rollout back to work that was taken away after the backup', async () => {
  const { db, clock } = world;
  const author = (await makeUser(db, { role: 1 })).id;
  const project = await makeProject(db);
  const device = await makeDevice(db, { project_id: project.id, lines: 2 });
  const due = new Date(clock.now() + 3_600_000);
  const timer = async (time: string, given: { action?: 'open'; run_by?: 'device'; slot?: number } = {}) => {
    const values = {
      ...{ device_id: device.id, line_id: device.lines[0]!.id, days: 127, date: null, time, enabled: true },
      ...{ done_at: null, zone: 'Asia/Shanghai', next_at: due, author_id: author, created_at: new Date(0) },
    };
    const { id } = await db
      .insertInto('timers')
      .values({ ...values, type: 'weekly', action: 'close', run_by: 'server', slot: null, ...given })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  };
  const [deleted, disabled, earlier, untouched, opening, held] = [
    await timer('07:00'),
    await timer('07:10'),
    await timer('07:20'),
    await timer('07:30'),
    await timer('07:40', { action: 'open' }),
    await timer('07:50', { run_by: 'device', slot: 3 }),
  ];
  await db
    .insertInto('timer_copies')
    .values({
      ...{ device_id: device.id, state: 'synced', reason: null, zone: null },
      push_id: null,
      pushed_at: null,
      changed_at: new Date(0),
    })
    .execute();
  const wish = (key: string, value: boolean) =>
    db
      .insertInto('device_desired')
      .values({
        ...{ device_id: device.id, kind: 'enable', place: 0, key, value: JSON.stringify(value), seen: null },
        ...{ state: 'pending', reason: null, revision: 1, job_id: null, message_id: null, user_id: author },
        ...{ operator: 'x', wished_at: new Date(0), sent_at: null, settled_at: null },
      })
      .execute();
  await wish('auto_reclose', true);
  const rollout = await makeRollout(db, { to: '9.9.9', type: 3, deviceIds: [device.id], authorId: author });
  const name = await backUp();
  const set = (id: number, change: object) =>
    db.updateTable('timers').set(change).where('id', '=', id).execute();
  await db.deleteFrom('timers').where('id', 'in', [deleted, opening, held]).execute();
  await set(disabled, { enabled: false, next_at: null });
  await set(earlier, { time: '09:20' });
  const later = new Date(due.getTime() + 86_400_000);
  await set(untouched, { next_at: later });
  await db.deleteFrom('device_desired').execute();
  await wish('protect_x', true);
  await db.updateTable('rollouts').set({ state: 'stopped' }).execute();
  const job = await world.run('/database/restore', { name, confirm: name });
  expect(job).toMatchObject({ result: { timers_off: 4, settings_withdrawn: 1, rollouts_paused: 1 } });
  const timers = await db.selectFrom('timers').select(['id', 'enabled', 'next_at']).orderBy('id').execute();
  expect(timers).toEqual([
    { id: deleted, enabled: false, next_at: null },
    { id: disabled, enabled: false, next_at: null },
    { id: earlier, enabled: false, next_at: null },
    { id: untouched, enabled: true, next_at: later },
    { id: opening, enabled: true, next_at: due },
    { id: held, enabled: false, next_at: null },
  ]);
  expect(await db.selectFrom('timer_copies').select(['device_id', 'state']).execute()).toEqual([
    { device_id: device.id, state: 'pending' },
  ]);
  expect(await db.selectFrom('device_desired').select(['key', 'state']).execute()).toEqual([
    { key: 'protect_x', state: 'pending' },
  ]);
  expect(await db.selectFrom('rollouts').select(['id', 'state']).execute()).toEqual([
    { id: rollout, state: 'paused' },
  ]);
  for (const table of ['timers', 'timer_copies', 'device_desired', 'rollout_devices', 'rollouts'] as const)
    await db.deleteFrom(table).execute();
});

it('a device that was moved, removed from its project or deleted after the backup cannot be switched by its former owner after a restore', async () => {
  const { db } = world;
  const [from, to] = [await makeProject(db), await makeProject(db)];
  const device = () => makeDevice(db, { project_id: from.id });
  const [moved, unbound, deleted] = [await device(), await device(), await device()];
  const name = await backUp();
  const at = new Date(world.clock.now());
  const bulk = deviceBulk(db);
  await bulk.bind({ all: true }, [moved.id], { project_id: to.id }, at);
  await bulk.unbind({ all: true }, [unbound.id], at);
  await bulk.delete({ all: true }, [deleted.id], at);
  const past = () =>
    db.selectFrom('device_past_owners').selectAll().where('device_id', '=', moved.id).execute();
  const owners = await past();
  expect(owners).toMatchObject([{ project_id: from.id }]);
  const job = await world.run('/database/restore', { name, confirm: name });
  expect(job).toMatchObject({ result: { devices_tagged: 1, devices_moved: 2 } });
  expect(
    await db
      .selectFrom('devices')
      .select(['id', 'project_id'])
      .where('id', 'in', [moved.id, unbound.id, deleted.id])
      .orderBy('id')
      .execute(),
  ).toEqual([
    { id: moved.id, project_id: to.id },
    { id: unbound.id, project_id: null },
    { id: deleted.id, project_id: from.id },
  ]);
  expect(await past()).toEqual(owners);
  const tags = await db.selectFrom('active_tags').select('device_id').orderBy('device_id').execute();
  expect(tags).toEqual([{ device_id: deleted.id }]);
  await db.deleteFrom('lockout_tags').execute();
});

it('a restore over data of another history sets a lock-out tag on every project', async () => {
  const { db } = world;
  const name = await backUp();
  const projects = await db.selectFrom('projects').select('id').orderBy('id').execute();
  // Another installation: its operation log does not contain the entries of the backup.
  await sql`alter table operation_log disable trigger all`.execute(db);
  await sql`update operation_log set hash = sha256(hash)`.execute(db);
  await sql`alter table operation_log enable trigger all`.execute(db);
  const job = await world.run('/database/restore', { name, confirm: name });
  expect(job).toMatchObject({ state: 'done', result: { projects_tagged: projects.length } });
  const tags = await db.selectFrom('lockout_tags').select('project_id').orderBy('project_id').execute();
  expect(tags).toEqual(projects.map(({ id }) => ({ project_id: id })));
});
