import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import { announce, unannounced } from './announce.ts';
import { endsSession, Fault, isNetworkFault, localCodes, localFault } from './fault.ts';
import { callOutcomes } from './link-state.ts';
import { noteSessionEnd } from './session-end.ts';

const successCodes: readonly number[] = [200, 0, 1];
const retryMs = 800;

/** Random UUID; `crypto.randomUUID` alone is missing on plain http. */
export const uuid = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

export interface CallOptions {
  signal?: AbortSignal;
  /** The caller shows the fault itself, unless the session is over. */
  quiet?: boolean;
  /** The call loads what a screen shows: its fault is announced only if no notice on the screen shows it. */
  load?: boolean;
  /** The request, if it has been sent already. */
  begun?: Promise<Response> | undefined;
  /** HTTP statuses and reasons that the caller shows itself. */
  shownHere?: readonly (number | string)[];
}

const isWrite = (endpoint: Endpoint, body: unknown) =>
  endpoint.log !== undefined && (endpoint.writesWhen?.(body) ?? true);

const textFields = (data: unknown): Record<string, string> =>
  data !== null && typeof data === 'object'
    ? Object.fromEntries(
        Object.entries(data).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
      )
    : {};

const faultOf = (response: Response, answer: Envelope, serial: string | null) => {
  const data = textFields(answer.data);
  const { request_id, ...fields } = data;
  // Names that hold reasons for programs in a refusal; a form may have fields with the same names.
  const { reason, ticket, ...alsoFields } = fields;
  return new Fault(answer.code, answer.msg, {
    status: response.status,
    ...(response.status === 422 ? { fields } : { alsoFields }),
    reason: reason ?? null,
    ticket: ticket ?? null,
    requestId: request_id ?? response.headers.get('x-request-id') ?? serial,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || null,
  });
};

/** Sends one request of a call; throws a Fault, or the caller's own AbortError. */
export const send = async (
  endpoint: Endpoint,
  body: unknown,
  serial: string | null,
  signal: AbortSignal | undefined,
  timeoutMs: number = limits.requestTimeoutMs,
  begun?: Promise<Response>,
): Promise<Response> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  const query =
    endpoint.method === 'GET' ? `?${new URLSearchParams(body as Record<string, string>).toString()}` : '';
  try {
    return await (begun ??
      fetch(endpoint.path + query, {
        method: endpoint.method,
        credentials: 'include',
        headers: {
          ...(endpoint.method === 'POST' ? { 'content-type': 'application/json' } : {}),
          ...(serial === null ? {} : { 'accept-serial': serial }),
        },
        ...(endpoint.method === 'POST' ? { body: JSON.stringify(body) } : {}),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      }));
  } catch (error) {
    if (signal?.aborted) throw error;
    callOutcomes.failed();
    throw localFault(timeout.aborted ? 'timeout' : 'network');
  }
};

/** Reads the envelope. Throws the server's fault, a network fault, or the caller's own AbortError. */
export const readAnswer = async (
  response: Response,
  serial: string | null,
  signal?: AbortSignal,
): Promise<unknown> => {
  const text = await response.text().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    callOutcomes.failed();
    throw localFault(error instanceof DOMException && error.name === 'TimeoutError' ? 'timeout' : 'network');
  });
  const answer = envelopeOf(text);
  // A proxy answers with its own page if its server is down.
  if (!answer) {
    callOutcomes.failed();
    throw localFault(response.status >= 502 ? 'network' : 'unreadable', response.status);
  }
  const succeeded = successCodes.includes(answer.code);
  if (succeeded || endsSession(answer.code)) noteSessionEnd(!succeeded);
  // Without its database the server can neither show nor do anything: the link counts as cut until it can again.
  if (response.status === 503) callOutcomes.failed();
  else callOutcomes.answered();
  if (!succeeded) throw faultOf(response, answer, serial);
  return answer.data;
};
interface Envelope {
  code: number;
  msg: string;
  data: unknown;
}
const envelopeOf = (text: string): Envelope | null => {
  try {
    const answer: unknown = JSON.parse(text);
    const isEnvelope =
      answer !== null && typeof answer === 'object' && 'code' in answer && typeof answer.code === 'number';
    return isEnvelope ? (answer as Envelope) : null;
  } catch {
    return null;
  }
};
/**
 * Shows a fault by the error catalogue and rethrows it. The first call that finds the session ended reports
 * it, even a quiet call, because the console then makes no further calls that could.
 */
export const raise = (error: unknown, quiet: boolean | undefined): never => {
  if (error instanceof Fault && (!quiet || endsSession(error.code))) announce(error);
  throw error;
};

/**
 * Makes a call of the contract. A write has its own serial; if the network fails it is sent once more with
 * the same serial, so the server never does it twice. Throws `Fault`.
 */
export const call = async <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>(
  endpoint: E & Endpoint<Body, Reply>,
  body: InputOf<E>,
  { signal, quiet, load, begun, shownHere = [] }: CallOptions = {},
): Promise<ReplyOf<E>> => {
  const serial = isWrite(endpoint, body) ? uuid() : null;
  const once = async () =>
    (await readAnswer(
      await send(endpoint, body, serial, signal, undefined, begun),
      serial,
      signal,
    )) as ReplyOf<E>;
  try {
    return await once().catch(async (error: unknown) => {
      const again = serial !== null && endpoint.permission !== 'public';
      if (!again || !(error instanceof Fault) || !isNetworkFault(error)) throw error;
      await new Promise((resolve) => window.setTimeout(resolve, retryMs));
      return once();
    });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if ([error.status, error.reason].some((each) => each !== null && shownHere.includes(each))) throw error;
    if (load && !endsSession(error.code)) {
      if (error.code !== localCodes.restoring) unannounced.add(error);
      throw error;
    }
    // The frame around the screens shows a restore; only a refused act gets its own message.
    return raise(error, quiet || (serial === null && error.code === localCodes.restoring));
  }
};
