export {};

declare const self: ServiceWorkerGlobalScope & {
  /** Files of the shell, listed by the build. */
  __WB_MANIFEST: readonly { url: string; revision: string | null }[];
};

interface Notice {
  title: string;
  text: string;
  alarm_id?: number;
  severity?: number;
  kind?: string;
  alarms?: number;
  /** The line that the alarm is about. */
  line?: { title: string; address: string };
}
const manifest = self.__WB_MANIFEST;
const shell = [...new Set(manifest.map(({ url }) => `/${url}`))];
const store = `shell-${manifest.map(({ url, revision }) => `${url}@${revision}`).join()}`;
const offlinePage = '/offline.html';
const alarmAddress = (id: number | undefined) => `/home/alarmList${id === undefined ? '' : `?alarm=${id}`}`;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(store).then((cache) => cache.addAll(shell)));
});
self.addEventListener('activate', (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name !== store) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});
self.addEventListener('message', (event) => {
  if (event.data === 'take over') void self.skipWaiting();
});

/** Pages come from the server only; where it cannot be reached, the shell says so. Nothing else is touched. */
self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  event.respondWith(
    fetch(event.request).catch(async () => (await caches.match(offlinePage)) ?? Response.error()),
  );
});

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
    // One notice for an alarm: a reminder takes the place of what it reminds of, and sounds again.
    ...(alarm_id === undefined ? {} : { tag: `alarm-${alarm_id}`, renotify: true }),
    requireInteraction: severity === 1,
    // An action only leads somewhere: what it does is decided on the screen, with the session and what it shows.
    actions: line ? [{ action: 'line', title: line.title }] : [],
    data: { address: alarmAddress(alarm_id), line: line?.address },
  };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const data = event.notification.data as { address: string; line?: string };
  const address = event.action === 'line' && data.line ? data.line : data.address;
  const show = async () => {
    const open = await self.clients.matchAll({ type: 'window' });
    const console = open.find((client) => new URL(client.url).pathname.startsWith('/home'));
    if (!console) return self.clients.openWindow(address);
    // If the browser does not let it come to the front, it still shows the alarm.
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
/** The browser gave this place another address: the server has to know it. */
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
