import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDevice, makeUser } from '#test/factories.ts';
import { pngOf } from '#test/images.ts';
import { createWorld, type World } from '#test/world.ts';
import { removeUnusedImages } from './unused.ts';
import { uploadStore } from './uploads.store.ts';

const dayMs = 86_400_000;
let world: World;
beforeAll(async () => {
  world = await createWorld(() => {});
});
afterAll(() => world.close());

it('removes only images that no row has referred to for a week', async () => {
  const { db, clock } = world;
  const user = await makeUser(db, { role: 1 });
  const keep = (bytes: number, daysAgo: number) =>
    uploadStore(db).keep(pngOf(bytes), 'image/png', user.id, new Date(clock.now() - daysAgo * dayMs));
  const unused = await keep(500, 8);
  const ofDevice = await keep(501, 400);
  const inText = await keep(502, 400);
  const inLog = await keep(503, 400);
  const fresh = await keep(504, 6);
  const sentAgain = await keep(505, 30);
  await keep(505, 0);
  const device = await makeDevice(db);
  await db.updateTable('devices').set({ image_id: ofDevice }).where('id', '=', device.id).execute();
  await db
    .insertInto('settings')
    .values({
      key: 'page',
      value: JSON.stringify({ html: `<img src="/upload/get?id=${inText}">` }),
      updated_at: new Date(),
    })
    .execute();
  await db
    .insertInto('setting_changes')
    .values({
      device_id: (await makeDevice(db)).id,
      revision: 1,
      at: new Date(clock.now()),
      operator: 'li',
      changes: JSON.stringify([{ kind: 'custom', place: 0, key: 'k', before: null, after: inLog }]),
    })
    .execute();
  expect(await removeUnusedImages(db, clock.now())).toEqual({ removed: 2, bytes: 1003 });
  const left = await db.selectFrom('uploads').select('id').execute();
  expect(left.map(({ id }) => id).sort()).toEqual([ofDevice, inText, fresh, sentAgain].sort());
  expect([unused, inLog].some((id) => left.some((row) => row.id === id))).toBe(false);
});
