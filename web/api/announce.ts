import { endsSession, type Fault, isNetworkFault, localCodes } from './fault.ts';
import { useLink } from './link-state.ts';

/** Shows faults; the console uses its own messages and dialogs. */
interface Announcer {
  warn(text: string): void;
  network(): void;
  expired(): void;
  loggedOut(text: string, forget: () => void): void;
}

let announcer: Announcer | null = null;
let ended = false;
export const announceWith = (given: Announcer | null): void => {
  announcer = given;
  ended = false;
};

/**
 * The error catalogue: 401 warns once and leads to sign-in; -202, 50012 and 50014 ask once; a network error
 * is shown for five seconds; field errors belong to their form; for everything else the server's sentence is
 * shown.
 */
export const announce = (fault: Fault): void => {
  if (!announcer) return;
  if (endsSession(fault.code)) {
    if (ended) return;
    ended = true;
    if (fault.code === 401) announcer.expired();
    else
      announcer.loggedOut(fault.message, () => {
        ended = false;
      });
    return;
  }
  if (isNetworkFault(fault) && fault.code !== localCodes.restoring) announcer.network();
  else if (Object.keys(fault.fields).length === 0) announcer.warn(fault.message);
};

/** Shows the first field error of a refusal whose fields are not on the screen. */
export const announceFields = ({ fields }: Fault): void => {
  const [flaw] = Object.values(fields);
  if (flaw !== undefined) announcer?.warn(flaw);
};

/** Faults of loads, until a notice on the screen shows them or they are announced. */
export const unannounced = new WeakSet<Error>();
/** A notice on the screen shows this fault: no message repeats it. */
export const showsOnScreen = (error: Error): void => void unannounced.delete(error);

const renderMs = 500;
/**
 * Announces the fault of a load that no notice shows, such as a refresh of data that stay on the screen. Without
 * contact to the server the strip below the header already says so.
 */
export const announceLoad = (fault: Fault): void => {
  window.setTimeout(() => {
    const isOnStrip = isNetworkFault(fault) && useLink.getState().state === 'cut';
    if (unannounced.delete(fault) && !isOnStrip) announce(fault);
  }, renderMs);
};
