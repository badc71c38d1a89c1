import type { Page } from '@playwright/test';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { nameOf } from '#database/partitions.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { testPassword } from '../world.ts';
import { type House, openHouse } from './house.ts';

const dayMs = 86_400_000;
let house: House;
let page: Page;
let lineId: number;

/** A reading per minute: twice 240 V for a while, and normal in between. */
const volts = [220, 220, 240, 240, 240, 220, 220, 220, 240, 240, 240, 220, 220, 220];
const store = async () => {
  const first = Date.now() - (volts.length + 5) * 60_000;
  for (const day of new Set([first, Date.now()].map((at) => Math.floor(at / dayMs))))
    await sql`select make_partition('readings', ${new Date(day * dayMs).toISOString().slice(0, 10)})
      where to_regclass(${nameOf('readings', day)}) is null`.execute(house.db);
  for (const [index, value] of volts.entries()) {
    const channels = lineChannels[3].map((name) => (name === 'U.a' ? value : name === 'I.a' ? 5 : null));
    await sql`insert into readings (at, line_id, boot, seq, rx_ms, position, trip, channels)
      values (${new Date(first + index * 60_000)}, ${lineId}, 1, ${index}, 0, 1, 0, ${channels})`.execute(
      house.db,
    );
  }
};
const ownOf = async () =>
  (await house.db.selectFrom('lines').select('thresholds').where('id', '=', lineId).executeTakeFirstOrThrow())
    .thresholds;

beforeAll(async () => {
  house = await openHouse();
  const project = (await makeProject(house.db)).id;
  const device = await makeDevice(house.db, { project_id: project, type: 3, lines: 1 });
  lineId = device.lines[0]!.id;
  await store();
  page = await house.pageOf((await makeUser(house.db, { role: 1 })).id);
  // A weaker limit asks for the password only if the last check is old.
  await house.db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(Date.now() - dayMs) })
    .execute();
});
afterAll(() => house.stop());

test('a limit is tested on stored readings, applied with the password, and taken back', async () => {
  await page.goto(`${house.url}/home/whatif?line_id=${lineId}&type=101&key=ov_w`);
  await page.getByLabel('Value to try').fill('250');
  await page.getByRole('button', { name: 'Try it' }).click();
  const counts = page.getByRole('region', { name: 'Before and after' });
  await counts.getByRole('row', { name: 'Early warnings 2 0' }).waitFor();
  await page.getByRole('region', { name: 'Missed: 2' }).waitFor();
  expect(new URL(page.url()).searchParams.get('value')).toBe('250');

  await page.getByRole('button', { name: 'Apply 250 V to 1 line …' }).click();
  const question = page.getByRole('dialog');
  await question.getByText('235.4 V → 250 V').waitFor();
  await question.getByRole('button', { name: 'Change 1 line' }).click();
  await page.getByLabel('Your password').fill(testPassword);
  await page
    .getByRole('dialog', { name: 'Confirm your identity' })
    .getByRole('button', { name: 'OK' })
    .click();
  await page.getByText('Changed for 1 line').waitFor();
  expect(await ownOf()).toEqual({ ov_w: 250 });

  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone for 1 line').waitFor();
  expect(await ownOf()).toEqual({});
});

test('a what-if is cancelled while the server judges, and started again', async () => {
  const { promise: late, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/device_warning/what_if', async (route) => {
    await late;
    await route.continue().catch(() => undefined);
  });
  await page.goto(`${house.url}/home/whatif?line_id=${lineId}&type=101&key=ov_w&value=250`);
  await page.getByText('Lines evaluated: 0 of 1').first().waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled; lines evaluated: 0 of 1').waitFor();
  release();
  await page.unroute('**/device_warning/what_if');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('region', { name: 'Missed: 2' }).waitFor();
});
