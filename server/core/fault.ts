import type { FaultCode } from '#contract/faults/codes.ts';

export interface FaultDetails {
  /** Parameters of the sentence. */
  with?: Readonly<Record<string, string | number>>;
  /** Faults of single fields, by field name. */
  fields?: Readonly<Record<string, FaultCode>>;
  /** Sent to the caller as `data`, beside the fields (which take precedence). */
  data?: unknown;
  /** Rows that the call wrote so far are kept (a counted failure), though the call is refused. */
  commit?: boolean;
}

/** Thrown to end a call with an answer; `serve` turns it into the envelope in the caller's language. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly details: FaultDetails;
  constructor(code: FaultCode, details: FaultDetails = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

export const fault = (code: FaultCode, details?: FaultDetails): never => {
  throw new Fault(code, details);
};
