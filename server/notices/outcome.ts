import type { DeliveryReason } from '#contract/deliveries.ts';
import type { Answer } from './http.ts';

/**
 * The result of one attempt. 'retry': nothing proves that it was received, and another attempt may succeed.
 */
export interface Outcome {
  readonly result: 'accepted' | 'failed' | 'retry';
  readonly reason: DeliveryReason | null;
  readonly detail: Record<string, unknown>;
  /** When the receiver wants to be called again: the header `Retry-After`. */
  readonly retryAfter?: string | undefined;
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
export const refusedWith = ({ status, body, retryAfter }: Extract<Answer, { ok: true }>): Outcome => {
  const detail = { status, answer: body.slice(0, 300) };
  const reason = passing.get(status) ?? (status >= 500 ? 'unreachable' : null);
  return reason === null ? failed('refused', detail) : { ...retry(reason, detail), retryAfter };
};
