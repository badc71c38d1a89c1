export {};

declare const self: ServiceWorkerGlobalScope & {
  /** What the offline page needs, and the scripts and styles of the console, listed by the build. */
  __WB_MANIFEST: readonly { url: string; revision: string | null }[];
};

interface Notice {
  title: string;
  text: string;
  alarm_id?: number;
  severity?: number;
  kind?: string;
  alarms?: number;
  /** The action that leads to the line of the alarm. */
  line?: { title: string; address: string };
}
const manifest = self.__WB_MANIFEST;
const files = [...new Set(manifest.map(({ url }) => `/${url}`))];
const isAsset = (path: string) => path.startsWith('/assets/');
const [assets, first] = [files.filter(isAsset), files.filter((path) => !isAsset(path))];
const known: ReadonlySet<string> = new Set(assets);
/** Name of the cache of one version of the console: FNV-1a over the names of its files, which contain their hashes. */
const store = `shell-${[...manifest.map(({ url, revision }) => `${url}@${revision}`).join()]
  .reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619), 2_166_136_261)
  .toString(36)}`;
const offlinePage = '/offline.html';
/** Key of the console's page in the cache: it is the same for every address below and for every reader. */
const insidePage = '/home';
const isInside = (path: string) => /^\/(home|p)(\/|$)/.test(path);
/** If the network takes longer, the cached page is used, which is the same. */
const pagePatienceMs = 8_000;
const alarmAddress = (id: number | undefined) => `/home/alarmList${id === undefined ? '' : `?alarm=${id}`}`;

self.addEventListener('install', (event) => {
  // The installation fails only without the files of the offline page; notifications need no others.
  event.waitUntil(caches.open(store).then((cache) => cache.addAll(first)));
});
self.addEventListener('activate', (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name !== store) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

const otherLanguages = (language: string) =>
  ['zh-CN', 'en-US', 'ru-RU'].filter((each) => each !== language).map((each) => `/${each}-`);
/**
 * Stores the files one by one, so that requests of the reader come first. Files in the browser's own cache cost
 * nothing.
 */
const keepShell = async (language: string): Promise<void> => {
  const cache = await caches.open(store);
  const others = otherLanguages(language);
  const wanted = assets.filter(
    (path) => !others.some((other) => path.replace('/words-device-', '/').includes(other)),
  );
  for (const path of [insidePage, ...wanted])
    if (!(await cache.match(path))) await cache.add(path).catch(() => undefined);
};
type Asked = { kind: 'take over' } | { kind: 'keep'; language: string } | { kind: 'has'; path: string };
self.addEventListener('message', (event) => {
  const asked = event.data as Asked;
  if (asked.kind === 'take over') void self.skipWaiting();
  if (asked.kind === 'keep')
    event.waitUntil(keepShell(asked.language).then(() => event.ports[0]?.postMessage(true)));
  if (asked.kind === 'has') event.ports[0]?.postMessage(known.has(asked.path));
});

const later = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined));
/**
 * Pages come from the server. If it cannot be reached, the console opens from the cache, or else a page
 * explains why not.
 */
const pageFor = async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url);
  const cache = await caches.open(store);
  const kept = isInside(pathname) ? await cache.match(insidePage) : undefined;
  const fromServer = fetch(request).catch(() => undefined);
  const page = await (kept ? Promise.race([fromServer, later(pagePatienceMs)]) : fromServer);
  return page ?? kept ?? (await cache.match(offlinePage)) ?? Response.error();
};
/**
 * A file of this version never changes, so it is taken from the cache, and stored there when it first comes
 * from the server.
 */
const assetFor = async (request: Request): Promise<Response> => {
  const cache = await caches.open(store);
  const { pathname } = new URL(request.url);
  const kept = await cache.match(pathname);
  if (kept) return kept;
  const fetched = await fetch(request);
  if (fetched.ok && known.has(pathname)) await cache.put(pathname, fetched.clone()).catch(() => undefined);
  return fetched;
};
/** Files of the offline page have names without a hash, so the stored copy may be old: used only without a network. */
const besideOfflinePage = async (request: Request): Promise<Response> => {
  try {
    return await fetch(request);
  } catch {
    const cache = await caches.open(store);
    return (await cache.match(new URL(request.url).pathname)) ?? Response.error();
  }
};
/** The worker never answers calls of the API. */
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.mode === 'navigate') event.respondWith(pageFor(request));
  else if (request.method !== 'GET' || origin !== self.location.origin) return;
  else if (known.has(pathname)) event.respondWith(assetFor(request));
  else if (first.includes(pathname)) event.respondWith(besideOfflinePage(request));
});

/** Marks the icon of a closed console without a number: only an open console knows the number. */
const markIcon = async (): Promise<void> => {
  const open = await self.clients.matchAll({ type: 'window' });
  if (open.length === 0) await navigator.setAppBadge?.().catch(() => undefined);
};
self.addEventListener('push', (event) => {
  const notice = event.data?.json() as Notice | undefined;
  if (!notice) return;
  const { title, text, alarm_id, severity, line } = notice;
  const options: NotificationOptions & {
    renotify?: boolean;
    actions?: { action: string; title: string }[];
  } = {
    body: text,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    // One notification per alarm: a reminder replaces the earlier one, and sounds again.
    ...(alarm_id === undefined ? {} : { tag: `alarm-${alarm_id}`, renotify: true }),
    requireInteraction: severity === 1,
    // An action only opens a page: the user decides on the screen, with a session and present data.
    actions: line ? [{ action: 'line', title: line.title }] : [],
    data: { address: alarmAddress(alarm_id), line: line?.address },
  };
  event.waitUntil(Promise.all([self.registration.showNotification(title, options), markIcon()]));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const data = event.notification.data as { address: string; line?: string };
  const address = event.action === 'line' && data.line ? data.line : data.address;
  const show = async () => {
    const open = await self.clients.matchAll({ type: 'window' });
    const console = open.find((client) => new URL(client.url).pathname.startsWith('/home'));
    if (!console) return self.clients.openWindow(address);
    // If the browser refuses to bring the console to the front, the console still shows the alarm.
    const shown = await console.focus().catch(() => console);
    return shown.navigate(address);
  };
  event.waitUntil(show());
});

const post = (path: string, body: unknown) =>
  fetch(path, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json', 'accept-serial': crypto.randomUUID() },
    body: JSON.stringify(body),
  });
/** The browser changed the subscription's address: the server must know it. */
self.addEventListener('pushsubscriptionchange', (event) => {
  const change = event as ExtendableEvent & {
    oldSubscription?: PushSubscription;
    newSubscription?: PushSubscription;
  };
  const renew = async () => {
    const options = change.oldSubscription?.options;
    const made =
      change.newSubscription ??
      (options &&
        (await self.registration.pushManager.subscribe({
          userVisibleOnly: true,
          applicationServerKey: options.applicationServerKey,
        })));
    const { endpoint, keys } = made?.toJSON() ?? {};
    if (endpoint !== undefined && keys !== undefined) await post('/push/subscribe', { endpoint, keys });
  };
  change.waitUntil(renew());
});
