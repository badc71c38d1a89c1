import type * as z from 'zod';
import type { Endpoint, ReplyOf } from '#contract/endpoint.ts';
import { raise, readAnswer, uuid } from './call.ts';
import { localFault } from './fault.ts';
import { callOutcomes } from './link-state.ts';

/** Time limit for uploading a file. */
const longestMs = 120_000;
type FormFields = Readonly<Record<string, string | number | boolean | Blob | undefined>>;

/** Makes a call whose body is a form with files. Throws Fault. */
export const upload = async <
  Body extends z.ZodType,
  Reply extends z.ZodType,
  E extends Endpoint<Body, Reply>,
>(
  endpoint: E & Endpoint<Body, Reply>,
  fields: FormFields,
  { quiet = false }: { quiet?: boolean } = {},
): Promise<ReplyOf<E>> => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) body.append(name, value instanceof Blob ? value : String(value));
  const serial = uuid();
  const timeout = AbortSignal.timeout(longestMs);
  try {
    const response = await fetch(endpoint.path, {
      method: 'POST',
      credentials: 'include',
      headers: { 'accept-serial': serial },
      body,
      signal: timeout,
    }).catch(() => {
      callOutcomes.failed();
      throw localFault(timeout.aborted ? 'timeout' : 'network');
    });
    return (await readAnswer(response, serial)) as ReplyOf<E>;
  } catch (error) {
    return raise(error, quiet);
  }
};
export const imageAddress = (imageId: string): string => `/upload/get?id=${imageId}`;
