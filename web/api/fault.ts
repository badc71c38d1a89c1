import { currentLanguage } from '#web/i18n/i18n.ts';
import { localSentences } from './fault-words.ts';
import { isRestoring } from './restore-state.ts';

/** The fault of a failed call. `code` is the envelope's, or one of the console's own from -1 to -6. */
export const localCodes = {
  network: -1,
  timeout: -2,
  unreadable: -3,
  missing: -4,
  restoring: -5,
  overdue: -6,
} as const;

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: number;
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  /** What a refusal that is shown anyway says about fields, such as a name that is taken. */
  readonly alsoFields: Readonly<Record<string, string>>;
  /** Why the state forbids the act, with the guard's name of the reason. */
  readonly reason: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Proves the password in the second step of a sign-in. */
  readonly ticket: string | null;
  constructor(
    code: number,
    message: string,
    about: {
      status?: number;
      fields?: Record<string, string>;
      alsoFields?: Record<string, string>;
      reason?: string | null;
      requestId?: string | null;
      retryAfterSeconds?: number | null;
      ticket?: string | null;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = about.status ?? 0;
    this.fields = about.fields ?? {};
    this.alsoFields = about.alsoFields ?? {};
    this.reason = about.reason ?? null;
    this.requestId = about.requestId ?? null;
    this.retryAfterSeconds = about.retryAfterSeconds ?? null;
    this.ticket = about.ticket ?? null;
  }
}

/** The server did not answer, so it is unknown whether the call was done. */
export const isNetworkFault = ({ code }: Fault): boolean =>
  code === localCodes.network || code === localCodes.timeout || code === localCodes.restoring;
/** Codes of sessions that a person ended: the reader is asked before signing in again. */
const endedCodes: readonly number[] = [-202, 50012, 50014];
export const endsSession = (code: number): boolean => code === 401 || endedCodes.includes(code);

/** A fault that the console itself detected, in the reader's language. */
export const localFault = (found: keyof typeof localCodes, status = 0): Fault => {
  const kind = found === 'network' && isRestoring() ? 'restoring' : found;
  return new Fault(localCodes[kind], localSentences[kind][currentLanguage()], { status });
};
