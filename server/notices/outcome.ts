import type { DeliveryReason } from '#contract/deliveries.ts';
import type { Answer } from './http.ts';

/**
 * The result of one attempt. 'retry': nothing proves that it was received, and another attempt may succeed.
 */
export interface Outcome {
  readonly result: 'accepted' | 'failed' | 'retry';
  readonly reason: DeliveryReason | null;
  readonly detail: Record<string, unknown>;
}

export const failed = (reason: DeliveryReason, detail: Record<string, unknown> = {}): Outcome => ({
  result: 'failed',
  reason,
  detail,
});
export const retry = (reason: DeliveryReason, detail: Record<string, unknown> = {}): Outcome => ({
  result: 'retry',
  reason,
  detail,
});
export const accepted = (detail: Record<string, unknown> = {}): Outcome => ({
  result: 'accepted',
  reason: null,
  detail,
});

/**
 * An attempt without an answer is repeated: a duplicate is better than none, and the receiver knows the
 * delivery id.
 */
export const unanswered = (answer: Extract<Answer, { ok: false }>): Outcome =>
  answer.failure === 'private_address'
    ? failed(answer.failure, { error: answer.error })
    : retry(answer.failure, { error: answer.error });

/** Statuses by which a receiver, or a proxy before it, asks to be called again: RFC 9110, 8470, 6585. */
const passing: ReadonlyMap<number, DeliveryReason> = new Map([
  [408, 'timeout'],
  [425, 'busy'],
  [429, 'busy'],
]);
/**
 * The result for an HTTP status that is not success, unless the service defines another. A redirect is refused:
 * it could lead anywhere.
 */
export const refusedWith = (status: number, body: string): Outcome => {
  const detail = { status, answer: body.slice(0, 300) };
  const reason = passing.get(status);
  if (reason) return retry(reason, detail);
  return status >= 500 ? retry('unreachable', detail) : failed('refused', detail);
};
