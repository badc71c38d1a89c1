import { pushEndpoints } from '#contract/push.ts';
import { call } from '#web/api/call.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { changePrefs } from '#web/theme/prefs.ts';

type PushBar = 'insecure' | 'unsupported' | 'noWorker' | 'denied';

/** Why this browser cannot receive notifications; null if it can. */
export const pushBarrier = async (): Promise<PushBar | null> => {
  if (!window.isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await navigator.serviceWorker.getRegistration('/')) ? null : 'noWorker';
};

export const currentSubscription = async (): Promise<PushSubscription | null> => {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
};

/** The server's key in the form for `pushManager.subscribe`. */
const keyBytes = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );

/** Whether a subscription was made for the server's key: one for another key receives nothing any more. */
export const isFor = (subscription: PushSubscription, key: string): boolean => {
  const own = subscription.options.applicationServerKey;
  const wanted = keyBytes(key);
  const bytes = own === null ? [] : [...new Uint8Array(own)];
  return bytes.length === wanted.length && bytes.every((byte, at) => byte === wanted[at]);
};

/** Asks for permission, subscribes at the browser's push service and sends the subscription to the server. */
export const subscribe = async (): Promise<'done' | 'denied' | 'dismissed' | 'noService'> => {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'dismissed';
  const { key } = await call(pushEndpoints.key, {});
  const registration = await navigator.serviceWorker.ready;
  const before = await registration.pushManager.getSubscription();
  if (before && !isFor(before, key)) await before.unsubscribe();
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: keyBytes(key) })
    .catch(() => null);
  const { endpoint, keys } = subscription?.toJSON() ?? {};
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined) return 'noService';
  await call(pushEndpoints.subscribe, { endpoint, keys: { p256dh, auth } });
  // Notifications use the language that is set here.
  changePrefs({ language: currentLanguage() });
  return 'done';
};

export const unsubscribe = async (subscription: PushSubscription): Promise<void> => {
  await call(pushEndpoints.unsubscribe, { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
};
