import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '#test/world.ts';
import { appendOperation, checkOperations } from './operation-log.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(() => {});
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      world.db.transaction().execute((trx) => appendOperation(trx, operation(n))),
    ),
  );
});
afterAll(() => world.close());

const operation = (n: number) => ({
  at: new Date(world.clock.now() + n),
  userId: null,
  operator: 'test',
  key: `test.${n}`,
  channel: 'api',
  address: '::1',
  requestId: String(n),
  outcome: 'done' as const,
  code: 200,
  projectId: null,
  deviceId: n,
  parameters: { b: 1, a: { d: undefined, c: [1.5, 'Ω'] } },
});
/** Makes a change that no user may make, checks the chain, and undoes the change. */
const tampered = async (tamper: string, options?: Parameters<typeof checkOperations>[1]) => {
  let seen: Awaited<ReturnType<typeof checkOperations>> | undefined;
  await world.db
    .transaction()
    .execute(async (trx) => {
      await sql`alter table operation_log disable trigger all`.execute(trx);
      await sql.raw(tamper).execute(trx);
      seen = await checkOperations(trx, options);
      throw new Error('undo');
    })
    .catch((error: Error) => {
      if (error.message !== 'undo') throw error;
    });
  return seen!;
};

describe('the chain of the operation log', () => {
  it('the chain of the operation log stays valid when many calls write at once, and shows changes and deletions', async () => {
    expect(await checkOperations(world.db)).toMatchObject({ checked: 20, done: true, broken: null });
    await expect(
      world.db.updateTable('operation_log').set({ operator: 'nobody' }).where('id', '=', 7).execute(),
    ).rejects.toThrow('append-only');
    await expect(world.db.deleteFrom('operation_log').where('id', '=', 20).execute()).rejects.toThrow(
      'append-only',
    );
  });

  it('the chain of the operation log is verified in sections', async () => {
    const first = await checkOperations(world.db, { most: 8 });
    expect(first).toMatchObject({ checked: 8, done: false, broken: null });
    const rest = await checkOperations(world.db, { after: first.last.id });
    expect(rest).toMatchObject({ checked: 12, done: true, broken: null });
    const nothing = await checkOperations(world.db, { after: rest.last.id });
    expect(nothing).toMatchObject({ checked: 0, done: true, broken: null });
  });

  it.each([
    ['a changed row', "update operation_log set operator = 'nobody' where id = 7", 7, 'changed', 7],
    [
      'a time moved by a microsecond',
      "update operation_log set at = at + interval '1 microsecond' where id = 7",
      7,
      'changed',
      7,
    ],
    ['a changed parameter', `update operation_log set parameters = '{}' where id = 7`, 7, 'changed', 7],
    ['a row that is gone', 'delete from operation_log where id = 7', 8, 'missing', 7],
    ['many rows that are gone', 'delete from operation_log where id between 1 and 12', 13, 'missing', 1],
    [
      'a row with a hash of its own',
      `update operation_log set previous_hash = hash, hash = sha256('x') where id = 7`,
      7,
      'changed',
      7,
    ],
    [
      'a row that was put behind the last',
      `insert into operation_log (id, at, user_id, operator, key, channel, address, request_id, outcome, code, project_id,
        device_id, parameters, previous_hash, hash) overriding system value
        select 21, at, user_id, 'nobody', key, channel, address, request_id, outcome, code, project_id, device_id,
        parameters, hash, sha256('x') from operation_log where id = 20`,
      21,
      'added',
      20,
    ],
    ['the newest rows gone', 'delete from operation_log where id > 18', 19, 'end', 18],
    ['all gone', 'delete from operation_log', 1, 'end', 0],
    [
      'the newest rows gone and the head set back to a hash',
      `delete from operation_log where id > 18; update operation_log_head set id = 18, hash = sha256('x')`,
      18,
      'changed',
      18,
    ],
  ])('detects %s', async (_what, tamper, id, why, checked) => {
    expect(await tampered(tamper)).toMatchObject({ checked, done: true, broken: { id, why } });
  });

  it('reports the break in each section', async () => {
    const gone = 'delete from operation_log where id = 8';
    expect(await tampered(gone, { most: 7 })).toMatchObject({ checked: 7, done: false, broken: null });
    expect(await tampered(gone, { after: 7 })).toMatchObject({ broken: { id: 9, why: 'missing' } });
    const cut =
      'update operation_log_head set id = 18, hash = (select hash from operation_log where id = 18)';
    for (const options of [{ after: 10 }, { after: 18 }, { after: 20 }])
      expect(await tampered(cut, options)).toMatchObject({ broken: { id: 19, why: 'added' } });
  });

  it('the chain of the operation log does not report rows that are written meanwhile as a break', async () => {
    const writing = Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        world.db.transaction().execute((trx) => appendOperation(trx, operation(100 + n))),
      ),
    );
    for (let n = 0; n < 20; n++) expect((await checkOperations(world.db)).broken).toBeNull();
    await writing;
  });
});
