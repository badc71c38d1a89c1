import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { fakeClock } from '#test/clock.ts';
import { freshDatabase, type TestDatabase } from '#test/database.ts';
import { makeDevice, makeUser } from '#test/factories.ts';
import { tidySettings } from './upkeep.ts';

let database: TestDatabase;
let db: Db;
const clock = fakeClock();
const daysAgo = (days: number) => new Date(clock.now() - days * 86_400_000);
const tidy = () => tidySettings(db, daysAgo(90), new AbortController().signal);
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(connectPool(database.url, 3));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

it('deletes old changes of settings, but never the last one of a setting', async () => {
  const [device, other] = [await makeDevice(db), await makeDevice(db)];
  let revision = 0;
  const change = (deviceId: number, days: number, ...keys: string[]) =>
    db
      .insertInto('setting_changes')
      .values({
        device_id: deviceId,
        revision: ++revision,
        at: daysAgo(days),
        operator: 'li',
        changes: JSON.stringify(
          keys.map((key) => ({ kind: 'parameter', place: 1, key, before: 1, after: revision })),
        ),
      })
      .execute();
  await change(device.id, 400, 'il_w', 'il_a'); // 1: il_a: the last change of this key
  await change(device.id, 300, 'il_w'); // 2: replaced by 3
  await change(device.id, 200, 'il_w'); // 3: the last change of il_w
  await change(device.id, 150, 'tm_a'); // 4: replaced by 6
  await change(other.id, 150, 'tm_a'); // 5: on another device
  await change(device.id, 10, 'tm_a'); // 6
  await change(device.id, 5, 'tm_a'); // 7
  for (let times = 0; times < 2; times += 1) {
    await tidy();
    const kept = await db.selectFrom('setting_changes').select('revision').orderBy('revision').execute();
    expect(kept.map((row) => row.revision)).toEqual([1, 3, 5, 6, 7]);
  }
});

it('deletes old configuration messages, except the last of each purpose and those that a device may still answer', async () => {
  const device = await makeDevice(db);
  const message = async (
    days: number,
    purpose: 'settings' | 'timers',
    state: 'sent' | 'applied' | 'undelivered',
  ) => {
    const id = randomUUID();
    await db
      .insertInto('config_messages')
      .values({
        id,
        device_id: device.id,
        purpose,
        base: 1,
        content: '{}',
        state,
        reason: null,
        sent_at: daysAgo(days),
        expires_at: new Date(daysAgo(days).getTime() + 60_000),
        ended_at: null,
      })
      .execute();
    return id;
  };
  await message(300, 'settings', 'applied');
  await message(200, 'settings', 'undelivered');
  const kept = [await message(120, 'timers', 'applied'), await message(100, 'settings', 'applied')];
  await tidy();
  const left = await db.selectFrom('config_messages').select('id').orderBy('sent_at').execute();
  expect(left.map((row) => row.id)).toEqual(kept);
  const fresh = await message(1, 'settings', 'sent');
  await tidy();
  const now = await db.selectFrom('config_messages').select('id').orderBy('sent_at').execute();
  expect(now.map((row) => row.id)).toEqual([kept[0], fresh]);
});

it('deletes old finished jobs', async () => {
  const [user, device] = [await makeUser(db, { role: 1 }), await makeDevice(db)];
  const job = async (days: number, state: 'done' | 'waiting') => {
    const id = randomUUID();
    await db
      .insertInto('device_jobs')
      .values({
        id,
        kind: 'settings',
        user_id: user.id,
        operator: 'li',
        created_at: daysAgo(days),
        parameters: '[]',
        total: 1,
        queued: false,
      })
      .execute();
    await db
      .insertInto('device_job_rows')
      .values({ job_id: id, device_id: device.id, state, reason: null })
      .execute();
    return id;
  };
  await job(100, 'done');
  const kept = [await job(100, 'waiting'), await job(80, 'done')];
  await tidy();
  const left = await db.selectFrom('device_jobs').select('id').orderBy('created_at').execute();
  expect(left.map((row) => row.id)).toEqual(kept);
});
