import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '#test/database.ts';
import { checkAppRole } from './app-role.ts';
import { migrate } from './migrate.ts';

let database: TestDatabase;
let app: pg.Client;
let owner: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  app = new pg.Client({ connectionString: database.appUrl });
  owner = new pg.Client({ connectionString: database.url });
  await Promise.all([app.connect(), owner.connect()]);
});
afterAll(async () => {
  await app.end();
  await owner.end();
  await database.drop();
});

const row = (previous: string, hash: string) =>
  JSON.stringify([
    {
      ...{
        n: 0,
        at: '2026-11-20T00:00:00Z',
        operator: 'x',
        key: 'test',
        channel: 'api',
        address: '',
        code: 200,
      },
      ...{ requestId: '1', outcome: 'done', parameters: {}, previous_hash: previous, hash },
    },
  ]);
const headHash = async () =>
  (await owner.query<{ hash: Buffer }>('select hash from operation_log_head')).rows[0]!.hash.toString('hex');

describe('the role that the server works with', () => {
  it.each([
    ['changes a row of the operation log', `update operation_log set operator = 'nobody'`],
    ['deletes from the operation log', 'delete from operation_log'],
    ['empties the operation log', 'truncate operation_log'],
    [
      'writes into the operation log beside the chain',
      'insert into operation_log overriding system value select * from operation_log',
    ],
    ['moves the head of the operation log', 'update operation_log_head set id = 0'],
    ['deletes the head of the operation log', 'delete from operation_log_head'],
    ['switches off the trigger of the operation log', 'alter table operation_log disable trigger all'],
    ['forges a migration', `insert into migrations (name) values ('9999_x.sql')`],
    ['runs a program', `copy settings from program 'id'`],
    ['writes a file', `copy settings to '/tmp/ampwatch-app-role'`],
    ['reads a file', `select pg_read_file('/etc/passwd')`],
    ['imports a file', `select lo_import('/etc/passwd')`],
    ['makes a role', 'create role intruder superuser'],
    ['makes a database', 'create database intruder'],
    [
      'becomes the owner',
      `select set_config('role', (select rolname from pg_roles where rolsuper limit 1), false)`,
    ],
    ['makes a table', 'create table intruder (id int)'],
    ['makes a function', 'create function intruder() returns int language sql as $$ select 1 $$'],
    ['replaces a function', 'drop function append_operation_log'],
    ['drops a table', 'drop table readings'],
    ['empties a table', 'truncate readings'],
    ['changes a setting of the server', `alter system set fsync = off`],
  ])('the server’s database role is refused when it %s', async (_what, statement) => {
    await expect(app.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|2BP01)$/),
    });
  });

  it('the server’s database role gains no rights by granting them to itself', async () => {
    await app.query('grant all on operation_log to ampwatch_app');
    await expect(app.query('delete from operation_log')).rejects.toMatchObject({ code: '42501' });
  });

  it('the server’s database role can make daily partitions of readings and minutes, but of no other table', async () => {
    const make = (table: string) => app.query('select make_partition($1, $2) as made', [table, '2031-03-05']);
    expect((await make('readings')).rows[0].made).toBe(true);
    expect((await make('readings')).rows[0].made).toBe(false);
    await expect(make('operation_log')).rejects.toThrow('no partitions by day');
    await app.query(
      `insert into readings (line_id, at, boot, seq, rx_ms, channels) values (1, '2031-03-05T23:59:59Z', 1, 1, 0, '{1}')`,
    );
    const { rows } = await owner.query<{ name: string }>(
      'select tableoid::regclass::text as name from readings',
    );
    expect(rows).toEqual([{ name: 'readings_20310305' }]);
    await expect(app.query('drop table readings_20310305')).rejects.toMatchObject({ code: '42501' });
  });

  it('the server’s database role appends to the operation log only rows that continue its chain', async () => {
    const append = (rows: string) => app.query('select append_operation_log($1::jsonb) as id', [rows]);
    await append(row(await headHash(), 'aa'));
    await append(row('aa', 'bb'));
    for (const previous of ['', 'aa', 'cc'])
      await expect(append(row(previous, 'dd'))).rejects.toThrow('do not continue the operation log');
    expect(await headHash()).toBe('bb');
  });

  it('the server’s database role cannot make the owner’s functions use its own tables', async () => {
    await app.query('begin');
    await app.query(
      `create temp table operation_log_head as select true as "only", 0::bigint as id, '\\xff'::bytea as hash`,
    );
    await app.query('set local search_path = pg_temp, public');
    const { rows } = await app.query<{ hash: Buffer }>('select hash from lock_operation_log()');
    expect(rows[0]!.hash.toString('hex')).toBe(await headHash());
    await app.query('rollback');
  });

  it('the server’s role reads every table, and writes all but the log, its head and the migrations', async () => {
    const { rows } = await owner.query<{ name: string; reads: boolean; writes: boolean }>(
      `select relname as name, has_table_privilege('ampwatch_app', oid, 'select') as reads,
         has_table_privilege('ampwatch_app', oid, 'insert') and has_table_privilege('ampwatch_app', oid, 'delete') as writes
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       order by 1`,
    );
    expect(rows.filter(({ reads }) => !reads)).toEqual([]);
    expect(rows.filter(({ writes }) => !writes).map(({ name }) => name)).toEqual([
      'migrations',
      'operation_log',
      'operation_log_head',
    ]);
  });

  it('the server’s database role gets rights for tables of later migrations, and loses rights that were granted by hand', async () => {
    await owner.query('create table later (id int)');
    await owner.query('grant all on operation_log to ampwatch_app');
    await migrate(database.url, 'ampwatch_app');
    await app.query('insert into later values (1)');
    await expect(app.query('delete from operation_log')).rejects.toMatchObject({ code: '42501' });
    await owner.query('drop table later');
  });

  it('the server’s database role must neither own the tables nor be a superuser', async () => {
    await checkAppRole(database.appUrl);
    await expect(checkAppRole(database.url)).rejects.toThrow(
      /^DATABASE_APP_URL must name a role that owns nothing/,
    );
  });
});
