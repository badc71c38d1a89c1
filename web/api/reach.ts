import { sessionEndpoints } from '#contract/session.ts';
import { readAnswer, send } from './call.ts';
import { Fault } from './fault.ts';

const patienceMs = 8_000;

/** Whether the server answers now, without a session: requests a small file without any cache. */
export const reachesServer = async (): Promise<boolean> => {
  try {
    const options: RequestInit = {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(patienceMs),
    };
    const { status } = await fetch('/favicon.svg', options);
    return status < 502;
  } catch {
    return false;
  }
};

/** Whether the server answers calls now, which it cannot without its database. */
export const servesCalls = async (): Promise<boolean> => {
  try {
    await readAnswer(await send(sessionEndpoints.check, {}, null, undefined, patienceMs), null);
    return true;
  } catch (error) {
    return error instanceof Fault && error.status > 0 && error.status < 500;
  }
};
