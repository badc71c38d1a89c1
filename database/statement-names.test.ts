import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '#test/database.ts';
import { connect, connectPool, type Db } from './connect.ts';
import { StatementNames } from './statement-names.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const thrice = async (ask: () => Promise<unknown>): Promise<void> => {
  for (let time = 0; time < 3; time++) await ask();
};
const prepared = async (db: Db): Promise<string[]> =>
  (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)).rows.map(
    (row) => row.statement,
  );
/** Runs `ask` three times in a transaction. */
const thriceWriting = (db: Db, ask: (trx: Db) => Promise<unknown>): Promise<void> =>
  db.transaction().execute((trx) => thrice(() => ask(trx)));

it('a statement that transactions use often is parsed once for each connection', async () => {
  const db = connect(connectPool(database.url, 1));
  const ask = (trx: Db) => trx.selectFrom('settings').select('value').where('key', '=', 'any').execute();
  await db.transaction().execute(ask);
  expect(await prepared(db)).toEqual([]);
  await thriceWriting(db, ask);
  expect(await prepared(db)).toEqual(['select "value" from "settings" where "key" = $1']);
  await db.destroy();
});

it('a filter of a reader is planned with its values: lists outside transactions, and figures over time', async () => {
  const db = connect(connectPool(database.url, 1));
  const list = (at: Db) =>
    at.selectFrom('alarms').select('id').where('project_id', '=', 1).limit(20).execute();
  const ofADay = (at: Db) => at.selectFrom('rollup_day').select('line_id').where('line_id', '=', 1).execute();
  await db
    .transaction()
    .setAccessMode('read only')
    .execute((trx) => thrice(() => list(trx)));
  await thriceWriting(db, ofADay);
  await db.transaction().execute((trx) => sql`select 1`.execute(trx));
  await thrice(() => list(db));
  const failing = db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await thrice(() => list(db));
  expect(await prepared(db)).toEqual([]);
  await db.destroy();
});

it('a transaction continues after a rollback to a savepoint', async () => {
  const db = connect(connectPool(database.url, 1));
  const trx = await db.startTransaction().execute();
  const saved = await trx.savepoint('here').execute();
  await saved.rollbackToSavepoint('here').execute();
  await thrice(() => sql`select 6 * 7`.execute(trx));
  await trx.rollback().execute();
  expect(await prepared(db)).toEqual(['select 6 * 7']);
  await db.destroy();
});

it('two statements in one text, and a list of all columns, get no name', async () => {
  const db = connect(connectPool(database.url, 1));
  await thriceWriting(db, (trx) => sql`set local statement_timeout = 0; select 1`.execute(trx));
  await thriceWriting(db, (trx) => trx.selectFrom('settings').selectAll().execute());
  await thriceWriting(db, (trx) => trx.selectFrom('settings').selectAll('settings').execute());
  await thriceWriting(db, (trx) =>
    trx
      .insertInto('settings')
      .values({ key: 'a', value: '1', updated_at: new Date() })
      .onConflict((on) => on.doNothing())
      .returningAll()
      .execute(),
  );
  expect(await prepared(db)).toEqual([]);
  await db.destroy();
});

it('a statement whose columns a migration changes under a running server fails once and then works', async () => {
  const pool = connectPool(database.url, 1);
  const db = connect(pool);
  await pool.query('create table widths (width int)');
  await pool.query('insert into widths values (7)');
  const ask = (trx: Db) => sql<{ width: number }>`select width from widths`.execute(trx);
  const works = () => thriceWriting(db, async (trx) => expect((await ask(trx)).rows).toEqual([{ width: 7 }]));
  await works();
  await pool.query('alter table widths alter column width type bigint');
  await expect(db.transaction().execute(ask)).rejects.toThrow('cached plan must not change result type');
  await works();
  await pool.query('drop table widths');
  await db.destroy();
});

it('statements of a client that takes callbacks get names too, and start anew', async () => {
  const pool = connectPool(database.url, 1);
  await pool.query('create table heights (height int)');
  const client = await pool.connect();
  const ask = () =>
    new Promise((resolve, reject) => {
      client.query('select height from heights where height = $1', [1], (error, result) =>
        error ? reject(error) : resolve(result.rows),
      );
    });
  await client.query('begin');
  await thrice(ask);
  await client.query('commit');
  await client.query('alter table heights alter column height type bigint');
  await client.query('begin');
  await expect(ask()).rejects.toThrow('cached plan must not change result type');
  await client.query('rollback');
  await client.query('begin');
  await thrice(ask);
  await client.query('drop table heights');
  await client.query('commit');
  client.release();
  await pool.end();
});

it('there are at most as many names as one connection may hold', () => {
  const names = new StatementNames(2);
  const ask = (text: string) => [1, 2, 3, 4].map(() => names.nameOf(text));
  expect(ask('select 1')).toEqual([undefined, undefined, 's0-0', 's0-0']);
  expect(ask('select 2')[3]).toBe('s0-1');
  expect(ask('select 3')[3]).toBeUndefined();
  names.startAnew();
  expect(ask('select 3')[3]).toBe('s1-0');
});
