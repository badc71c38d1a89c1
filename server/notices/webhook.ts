import { createHmac } from 'node:crypto';
import { send } from './http.ts';
import { accepted, type Outcome, refusedWith, unanswered } from './outcome.ts';

/** Signature of a webhook: HMAC-SHA256 over `<timestamp>.<body>` with the rule's secret, in hex. */
export const signatureOf = (secret: string, timestamp: number, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

export const sendWebhook = async (given: {
  url: string;
  secret: string | null;
  deliveryId: number;
  payload: Record<string, unknown>;
  now: number;
  allowPrivate: boolean;
  limitMs: number;
}): Promise<Outcome> => {
  const body = JSON.stringify(given.payload);
  const timestamp = Math.floor(given.now / 1000);
  const answer = await send(given.url, {
    method: 'POST',
    body,
    timeoutMs: given.limitMs,
    allowPrivate: given.allowPrivate,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Ampwatch',
      'x-ampwatch-delivery': String(given.deliveryId),
      'x-ampwatch-timestamp': String(timestamp),
      ...(given.secret
        ? { 'x-ampwatch-signature': `sha256=${signatureOf(given.secret, timestamp, body)}` }
        : {}),
    },
  });
  if (!answer.ok) return unanswered(answer);
  if (answer.status >= 200 && answer.status < 300) return accepted({ status: answer.status });
  return refusedWith(answer);
};
