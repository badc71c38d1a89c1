import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Worker } from '@playwright/test';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { openSession } from '#server/core/session.ts';
import { findChromium } from '../chromium.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { type Heard, type StandIn, standIn } from '../stand-in.ts';
import { type House, openHouse } from './house.ts';
import { makePushPlace, type PushPlace, readVapid } from './push-place.ts';

let house: House;
let service: StandIn;
let profile: string;
let context: BrowserContext;
let blank: CDPSession;
let device: Awaited<ReturnType<typeof makeDevice>>;
let client: mqtt.MqttClient;
/** The operator reads Russian in the browser; the other users have no browser. */
let operator: number;
let registrationId: string | undefined;
const places: Record<'ru' | 'zh' | 'en', PushPlace> = {
  ru: makePushPlace(''),
  zh: makePushPlace(''),
  en: makePushPlace(''),
};

const tokenOf = async (userId: number) =>
  (await openSession(house.db, userId, Date.now(), { address: '127.0.0.1', agent: 'test' })).token;
const ask = async (token: string, address: string, body: unknown) => {
  const response = await fetch(new URL(address, house.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', usertoken: token },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { code: number; msg: string; data: Record<string, unknown> };
  expect(answer, address).toMatchObject({ code: 200 });
  return answer.data;
};

beforeAll(async () => {
  const found = await findChromium();
  if (!found) throw new Error('There is no Chromium: `npm test` installs one.');
  house = await openHouse();
  service = await standIn();
  service.answer(() => ({ status: 201 }));
  for (const [name, place] of Object.entries(places)) place.endpoint = `${service.url}/${name}`;
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  device = await makeDevice(house.db, { type: 3, number: 'PUSH000001', project_id: project.id });
  const person = (username: string) => makeUser(house.db, { role: 3, username, projects: [project] });
  operator = (await person('reader-ru')).id;
  const elsewhere = { zh: (await person('reader-zh')).id, en: (await person('reader-en')).id };
  await ask(await tokenOf(house.admin), '/device_warning/set_notice_settings', { private_targets: true });
  for (const [name, language] of [
    ['zh', 'zh-CN'],
    ['en', 'en-US'],
  ] as const) {
    const token = await tokenOf(elsewhere[name]);
    await ask(token, '/sign_user/preferences', { language });
    const { endpoint, keys } = places[name];
    await ask(token, '/push/subscribe', { endpoint, keys });
  }
  await ask(await tokenOf(operator), '/device_warning/add_warning_timing', {
    channel: 'app',
    project_ids: [project.id],
    user_ids: [operator, elsewhere.zh, elsewhere.en],
  });

  profile = await mkdtemp(path.join(tmpdir(), 'ampwatch-push-'));
  context = await chromium.launchPersistentContext(profile, {
    ...found,
    locale: 'ru-RU',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['notifications'],
  });
  const domain = new URL(house.url).hostname;
  await context.addCookies([
    { name: 'PHPSESSID', value: await tokenOf(operator), domain, path: '/', httpOnly: true },
    { name: 'language', value: 'ru-RU', domain, path: '/' },
  ]);
  // The browser's vendor runs the push service: only its address is replaced, by a local one with real keys.
  await context.addInitScript(
    ({ endpoint, keys }) => {
      const subscription = {
        endpoint,
        toJSON: () => ({ endpoint, keys }),
        unsubscribe: async () => true,
      };
      let made: unknown = null;
      Object.assign(PushManager.prototype, {
        getSubscription: async () => made,
        subscribe: async (options: { applicationServerKey: Uint8Array; userVisibleOnly: boolean }) => {
          if (!options.userVisibleOnly || options.applicationServerKey.length !== 65)
            throw new DOMException('not as a push service wants it', 'NotSupportedError');
          made = { ...subscription, options: { applicationServerKey: options.applicationServerKey.buffer } };
          return made;
        },
      });
    },
    { endpoint: places.ru.endpoint, keys: places.ru.keys },
  );
  blank = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()));
  blank.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const each of registrations)
      if (each.scopeURL === `${house.url}/` && !each.isDeleted) registrationId = each.registrationId;
  });
  await blank.send('ServiceWorker.enable');

  client = await mqtt.connectAsync(house.mqttUrl, {
    clientId: device.number,
    username: device.number,
    password: device.secret,
  });
});
afterAll(async () => {
  await client?.endAsync();
  await context?.close();
  await house?.stop();
  await service?.close();
  if (profile) await rm(profile, { recursive: true, force: true });
});

let seq = 0;
const raise = async (code: number, thr: number, unit: string) => {
  seq += 1;
  const event = {
    ...{ v: 1, boot: 1, seq, t: Date.now(), tq: 0, eid: `1-${seq}`, kind: 'alarm', st: 'raise' },
    ...{ code, lvl: 2, n: 1, val: thr * 1.2, thr, unit },
  };
  await client.publishAsync(topicOf(device.number, 'event'), JSON.stringify(event), { qos: 1 });
};
const heardAt = async (place: PushPlace, count: number): Promise<Heard> => {
  const { pathname } = new URL(place.endpoint);
  const there = () => service.heard.filter((request) => request.path === pathname);
  await expect.poll(() => there().length).toBe(count);
  return there()[count - 1]!;
};
/** Delivers a push as the browser does: wakes the worker and passes the data. */
const handOver = (payload: unknown) =>
  blank.send('ServiceWorker.deliverPushMessage', {
    origin: house.url,
    registrationId: registrationId ?? '',
    data: JSON.stringify(payload),
  });
const awakeWorker = async (): Promise<Worker> => {
  await expect.poll(() => context.serviceWorkers().length).toBeGreaterThan(0);
  return context.serviceWorkers().at(-1)!;
};
interface Shown {
  title: string;
  body: string;
  tag: string;
  requireInteraction: boolean;
  address: string;
}
const shownBy = (worker: Worker): Promise<Shown[]> =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const notices = await registration.getNotifications();
    return notices.map(({ title, body, tag, requireInteraction, data }) => ({
      title,
      body,
      tag,
      requireInteraction,
      address: data.address,
    }));
  });
/**
 * Delivers a push again until it is shown: a stopping worker loses it, and a repeated one is still one
 * notification.
 */
const handOverUntilShown = async (payload: unknown): Promise<Worker> => {
  await handOver(payload);
  const worker = await awakeWorker();
  await expect
    .poll(async () => {
      const shown = await shownBy(worker);
      if (shown.length === 0) await handOver(payload);
      return shown;
    })
    .toHaveLength(1);
  return worker;
};
/** Records the badge on the icon of the installed console, which only the desktop shows. */
const watchIcon = (worker: Worker): Promise<void> =>
  worker.evaluate(() => {
    const marks: unknown[][] = [];
    Object.assign(self, { marks });
    Object.assign(navigator, {
      setAppBadge: async (...given: unknown[]) => {
        marks.push(given);
      },
    });
  });
const marksOf = (worker: Worker): Promise<unknown[][]> =>
  worker.evaluate(() => (self as unknown as { marks: unknown[][] }).marks);
/**
 * Calls the worker's own handler with the shown notification. Only a real click in the browser may open
 * windows.
 */
const click = (worker: Worker, tag: string, action = ''): Promise<string[]> =>
  worker.evaluate(
    async ([wanted, pressed]) => {
      const scope = self as unknown as {
        registration: ServiceWorkerRegistration;
        clients: { openWindow(address: string): Promise<null> };
        NotificationEvent: new (
          name: string,
          init: { notification: Notification; action: string },
        ) => Event & { waitUntil(work: Promise<unknown>): void };
        dispatchEvent(event: Event): boolean;
      };
      const [notification] = await scope.registration.getNotifications({ tag: wanted });
      if (!notification) throw new Error(`no notice ${wanted}`);
      const opened: string[] = [];
      scope.clients.openWindow = async (address) => {
        opened.push(address);
        return null;
      };
      const event = new scope.NotificationEvent('notificationclick', { notification, action: pressed });
      let done: Promise<unknown> = Promise.resolve();
      event.waitUntil = (work) => {
        done = work;
      };
      scope.dispatchEvent(event);
      await done;
      return opened;
    },
    [tag, action] as const,
  );

it('a push is turned on in the profile, and arrives with the tab closed: signed, encrypted, in the language of each reader', async () => {
  const page = await context.newPage();
  await page.goto(`${house.url}/home/alarmList`);
  await page.getByRole('heading', { name: 'Сигналы', level: 1 }).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.getByRole('button', { name: /User \d+/ }).click();
  await page.getByRole('menuitem', { name: 'Уведомления и окна' }).click();
  await page.getByRole('button', { name: 'Принимать уведомления на этом устройстве' }).click();
  await page.getByText('Это устройство принимает уведомления.').waitFor();
  await page.close();
  expect(context.pages().filter((each) => each.url().startsWith(house.url))).toHaveLength(0);

  await raise(201, 44, 'A');
  const request = await heardAt(places.ru, 1);
  expect(request.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    urgency: expect.stringMatching(/^(high|normal)$/),
    ttl: expect.stringMatching(/^\d+$/),
  });
  const vapid = readVapid(request.headers.authorization);
  const { key } = await ask(await tokenOf(operator), '/push/key', {});
  expect(vapid.key).toBe(key);
  expect(vapid.claims.aud).toBe(service.url);
  expect(vapid.claims.exp * 1000).toBeGreaterThan(Date.now());
  expect(vapid.claims.exp * 1000).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000);
  expect(request.body).not.toContain('Bay Tower');

  const payload = places.ru.read(request);
  expect(payload).toMatchObject({
    title: 'Аварийный сигнал: Перегрузка по току',
    text: expect.stringMatching(/^Bay Tower.*Line 1$/),
  });
  expect(places.zh.read(await heardAt(places.zh, 1))['title']).toBe('报警：过流（过载）');
  expect(places.en.read(await heardAt(places.en, 1))['title']).toBe('Alarm: Overcurrent (overload)');

  // No code of the console is running: the push itself wakes the worker.
  await blank.send('ServiceWorker.stopAllWorkers');
  const worker = await handOverUntilShown(payload);
  const [notice] = await shownBy(worker);
  const alarmId = payload['alarm_id'];
  expect(notice).toEqual({
    title: payload['title'],
    body: payload['text'],
    tag: `alarm-${alarmId}`,
    requireInteraction: payload['severity'] === 1,
    address: `/home/alarmList?alarm=${alarmId}`,
  });

  expect(payload['line']).toMatchObject({ title: 'К линии' });
  // The same alarm again, as a reminder: still one notification, and a mark on the icon of the closed console.
  await watchIcon(worker);
  await handOver({ ...payload, title: 'Не обработано' });
  await expect.poll(async () => (await shownBy(worker)).map(({ title }) => title)).toEqual(['Не обработано']);
  await expect.poll(() => marksOf(worker)).toEqual([[]]);
  expect(await click(worker, `alarm-${alarmId}`)).toEqual([notice?.address]);
  expect(await shownBy(worker)).toEqual([]);
  // The action of the notification leads to the line.
  await handOverUntilShown(payload);
  const { address } = payload['line'] as { address: string };
  expect(address).toContain(`line_id=${device.lines[0]!.id}`);
  expect(await click(worker, `alarm-${alarmId}`, 'line')).toEqual([address]);
  const opened = await context.newPage();
  await opened.goto(new URL(notice?.address ?? '', house.url).href);
  await opened.locator('.alarm-drawer').getByText('Ход событий', { exact: true }).waitFor();
  await opened.close();
});

it('a push leads an open console to the alarm; an expired address is not called again', async () => {
  const page = await context.newPage();
  await page.goto(`${house.url}/home/news`);
  await page.getByRole('heading', { name: 'Сообщения', level: 1 }).waitFor();
  service.answer(({ path: asked }) => ({ status: asked === '/ru' ? 410 : 201 }));
  await raise(301, 300, 'mA');
  const payload = places.ru.read(await heardAt(places.ru, 2));
  const worker = await handOverUntilShown(payload);
  expect(await click(worker, `alarm-${payload['alarm_id']}`)).toEqual([]);
  await page.locator('.alarm-drawer').getByText('Ход событий', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('alarm')).toBe(String(payload['alarm_id']));

  const left = () =>
    house.db.selectFrom('push_subscriptions').select('endpoint').orderBy('endpoint').execute();
  await expect
    .poll(async () => (await left()).map(({ endpoint }) => endpoint))
    .toEqual([places.en.endpoint, places.zh.endpoint]);
});
