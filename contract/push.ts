import * as z from 'zod';
import { endpoint, nothing } from './endpoint.ts';

const base64url = z.string().regex(/^[\w-]+=*$/);
const address = z.url({ protocol: /^https?$/, error: 'push.endpoint' }).max(1000);

export const pushEndpoints = {
  /**
   * The server's public key, for `pushManager.subscribe`; how many browsers of the user get pushes, and whether that
   * of this session does.
   */
  key: endpoint({
    method: 'POST',
    path: '/push/key',
    permission: 'signedIn',
    body: nothing,
    reply: z.object({ key: z.string(), subscriptions: z.int(), here: z.boolean(), wechat: z.boolean() }),
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/push/subscribe',
    permission: 'signedIn',
    log: 'push.subscribe',
    secret: ['endpoint', 'keys'],
    body: z.strictObject({
      endpoint: address,
      keys: z.strictObject({ p256dh: base64url.min(80).max(100), auth: base64url.min(16).max(40) }),
    }),
    reply: nothing,
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/push/unsubscribe',
    permission: 'signedIn',
    log: 'push.unsubscribe',
    secret: ['endpoint'],
    body: z.strictObject({ endpoint: address }),
    reply: nothing,
  }),
  /** Binds the user's own identity at the WeChat official account; an empty value removes it. */
  wechat: endpoint({
    method: 'POST',
    path: '/push/wechat',
    permission: 'signedIn',
    log: 'push.wechat',
    secret: ['openid'],
    body: z.strictObject({ openid: z.string().regex(/^[\w-]{0,64}$/) }),
    reply: nothing,
  }),
};
