import { createECDH, randomBytes } from 'node:crypto';
import { chromium, type Page } from '@playwright/test';
import mqtt from 'mqtt';
import type pg from 'pg';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { namedAtOnce } from '#server/notices/notices.rules.ts';
import { findChromium } from '#test/chromium.ts';
import { type StandIn, standIn } from '#test/stand-in.ts';
import { buildConsole } from '../scripts/console.ts';
import type { Figure } from './figure.ts';
import { numberOf } from './link-load.ts';
import { furnishDevices, makeAdmin, type Product, startProduct } from './product-bench.ts';
import { openAlarm, take, type Watched, watch } from './storm-page.ts';

const storm = { devices: 200, lines: 10, seconds: 10, contacts: 5 };
const alarms = storm.devices * storm.lines;
const history = 20_000;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 60);
const anchor = `${alarms.toLocaleString('en')} alarms in ${storm.seconds} s; list and overview open in Chromium on the same 2 cores`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const epochNow = () => performance.timeOrigin + performance.now();
const percentile = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? Number.NaN;
const percentile95 = (times: readonly number[]): number => percentile(times, 0.95);
const spread = (times: readonly number[]) =>
  [0.5, 0.9, 0.95, 0.99, 1].map((share) => percentile(times, share));

const event = (boot: number, seq: number, n: number) =>
  JSON.stringify({
    ...{ v: 1, boot, seq, t: Date.now(), eid: `${boot}-${seq}`, kind: 'alarm', st: 'raise' },
    ...{ code: 301, lvl: 2, n, val: 52.1, thr: 30, unit: 'mA' },
  });
const publish = (client: mqtt.MqttClient, boot: number, seq: number, n: number) =>
  client.publish(topicOf(client.options.clientId ?? '', 'event'), event(boot, seq, n), { qos: 1 });

/** Adds lines to the devices; the last device has one for the first alarm and one for each calm round. */
const furnishLines = (pool: pg.Pool) =>
  pool.query(
    `insert into lines (device_id, n, rated_current, switchable, created_at)
     select d.id, n, 40, true, now() from devices d, generate_series(2, case when d.number = $1 then $2::int else $3::int end) n`,
    [numberOf(storm.devices), rounds + 1, storm.lines],
  );
/** Handled alarms of a month, because PostgreSQL plans differently for a table that has always been empty. */
const furnishHistory = async (pool: pg.Pool) => {
  await pool.query(
    `insert into alarms (id, work_order, line_id, device_id, project_id, code, level, severity, source, raised_at, received_at,
       last_at, cleared_at, handled_at, value_type)
     select nextval('alarm_ids'), 'H' || k, l.id, l.device_id, d.project_id, 301, 2, 2, 'device', at, at, at, at, at, 1
     from generate_series(1, $1::int) k cross join lateral (select now() - interval '30 days' * k / $1::int as at) t
       join lines l on l.id = (select min(id) from lines) + k % (select count(*) from lines)
       join devices d on d.id = l.device_id`,
    [history],
  );
  await pool.query('analyze');
};
/** Users with an installed console, who are notified of everything. */
const furnishContacts = async (pool: pg.Pool, service: StandIn) => {
  const endpoints = Array.from({ length: storm.contacts }, (_, index) => `${service.url}/${index}`);
  const keys = endpoints.map(() => createECDH('prime256v1').generateKeys('base64url'));
  await pool.query(
    `with people as (
       insert into users (username, password_hash, password_changed_at, role_id, created_at)
       select 'contact' || n, '', now(), r.id, now() from roles r, generate_series(1, $1::int) n where r.code = 1
       returning id, username
     ), places as (
       insert into push_subscriptions (user_id, endpoint, p256dh, auth, created_at)
       select p.id, e.endpoint, e.p256dh, $4, now() from people p
       join unnest($2::text[], $3::text[]) with ordinality as e (endpoint, p256dh, n) on p.username = 'contact' || e.n)
     insert into notices (name, channel, user_ids, language, owner_id, created_at, updated_at)
     select 'bench', 'app', array_agg(id), 'en-US', min(id), now(), now() from people`,
    [storm.contacts, endpoints, keys, randomBytes(16).toString('base64url')],
  );
  await pool.query(
    `insert into settings (key, value, updated_at) values ('notices', '{"private_targets": true}', now())`,
  );
};

const connectDevices = (product: Product) =>
  Promise.all(
    Array.from({ length: storm.devices + 1 }, (_, index) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${product.port}`, {
        clientId: numberOf(index),
        username: numberOf(index),
        password: product.secret,
      }),
    ),
  );

/** Publishes the storm; returns when each alarm was published, in order. */
const blow = async (clients: readonly mqtt.MqttClient[]): Promise<number[]> => {
  const sent: number[] = [];
  const begun = performance.now();
  while (sent.length < alarms) {
    const due = Math.min(alarms, ((performance.now() - begun) / (storm.seconds * 1000)) * alarms);
    while (sent.length < due) {
      const line = Math.floor(sent.length / storm.devices) + 1;
      publish(clients[sent.length % storm.devices]!, 1, line, line);
      sent.push(epochNow());
    }
    await pause(5);
  }
  return sent;
};

/** From the publish of each alarm until the pop-up counts it. */
const waits = (sent: readonly number[], { shown }: Watched): number[] =>
  sent.map((at, index) => (shown.find(({ count }) => count > index)?.at ?? Number.POSITIVE_INFINITY) - at);

/** One alarm at a time; each is opened and closed before the next. */
const calm = async (page: Page, client: mqtt.MqttClient): Promise<number[]> => {
  const times: number[] = [];
  const popup = page.locator('.popup');
  for (let round = 1; round <= rounds; round += 1) {
    await take(page);
    const at = epochNow();
    publish(client, 1, round + 1, round + 1);
    await popup.waitFor();
    const { shown } = await take(page);
    times.push((shown.find(({ count }) => count > 0)?.at ?? Number.NaN) - at);
    await popup.getByRole('button', { name: 'Dismiss' }).click();
    await popup.waitFor({ state: 'detached' });
    await pause(100 + Math.random() * 100);
  }
  return times;
};

export const run = async (): Promise<Figure[]> => {
  const found = await findChromium();
  if (!found) throw new Error('There is no Chromium: `npm test` installs one.');
  await buildConsole(console.log);
  const product = await startProduct();
  const service = await standIn();
  const pool = connectPool(product.databaseUrl, 2);
  const db = connect(pool);
  const browser = await chromium.launch(found);
  let clients: mqtt.MqttClient[] = [];
  try {
    await furnishDevices(pool, storm.devices + 1, product.secret);
    await furnishLines(pool);
    await furnishHistory(pool);
    const reader = await makeAdmin(db);
    const { token } = await openSession(db, reader, Date.now(), { address: '', agent: 'bench' });
    // Two windows, because a background tab draws nothing.
    const open = async () => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: 'en-US',
        reducedMotion: 'reduce',
      });
      await context.addCookies([{ name: 'PHPSESSID', value: token, url: product.url }]);
      return context.newPage();
    };
    const [list, overview] = [await open(), await open()];
    await list.goto(`${product.url}/home/alarmList`);
    await overview.goto(`${product.url}/home/datascreen`);
    for (const page of [list, overview]) await page.getByText('Live', { exact: true }).waitFor();
    clients = await connectDevices(product);
    // The first alarm loads the screen parts that alarms need, as in normal use.
    publish(clients[storm.devices]!, 1, 1, 1);
    for (const page of [list, overview]) {
      await page.locator('.popup').getByRole('button', { name: 'Dismiss' }).click();
      await watch(page);
    }
    await list.locator('.queue-show').first().waitFor();
    await openAlarm(list);
    await pause(2_000);
    await Promise.all([take(list), take(overview)]);
    await furnishContacts(pool, service);

    const opened: number[] = [];
    let over = false;
    const reading = (async () => {
      while (!over) {
        opened.push(await openAlarm(list));
        await pause(1_000);
      }
    })();
    const sent = await blow(clients);
    await pause(1_000);
    over = true;
    await reading;
    const seen = [await take(list), await take(overview)];
    await pause(2_000);
    const { rows } = await pool.query<{ stored: number }>(
      'select count(*)::int as stored from alarms where handled_at is null',
    );
    const pushes = [...Map.groupBy(service.heard, ({ path }) => path).values()].map(({ length }) => length);
    await list.locator('.popup').getByRole('button', { name: 'Dismiss' }).click();
    const calmMs = await calm(list, clients[storm.devices]!);
    if (process.env['BENCH_VERBOSE'])
      console.log({
        frames: seen.map(({ frames }) => frames.length),
        worst: seen.map(({ frames }) => Math.max(...frames)),
        waits: seen.map((each) => spread(waits(sent, each))),
        calmMs: spread(calmMs),
        opened,
        pushes,
      });
    const figure = (name: string, value: number, unit: string, goal: string): Figure => ({
      ...{ name, figure: value, unit, goal, anchor },
    });
    return [
      figure('storm: frames of the alarm list, p95', percentile95(seen[0]!.frames), 'ms', '≤ 50 ms'),
      figure('storm: frames of the overview, p95', percentile95(seen[1]!.frames), 'ms', '≤ 50 ms'),
      figure(
        'storm: from publish to the pop-up that counts it, p95 of both',
        percentile95(seen.flatMap((each) => waits(sent, each))),
        'ms',
        '≤ 150 ms',
      ),
      figure(`storm: an alarm opened in the list, worst of ${opened.length}`, Math.max(...opened), 'ms', ''),
      figure(`calm: from publish to the pop-up, p95 of ${rounds}`, percentile95(calmMs), 'ms', '≤ 150 ms'),
      figure(
        'storm: most pushes to one contact, each names its grave alarms',
        Math.max(0, ...pushes),
        '',
        // Pushes are sent in rounds of a second, and the last push of a round may name fewer alarms.
        `≤ ${Math.ceil(alarms / namedAtOnce.app) + storm.seconds + 1}`,
      ),
      figure('storm: alarms not stored', alarms + 1 - (rows[0]?.stored ?? 0), '', '0'),
    ];
  } finally {
    for (const client of clients) client.end(true);
    await browser.close();
    await db.destroy();
    await service.close();
    await product.stop();
  }
};
