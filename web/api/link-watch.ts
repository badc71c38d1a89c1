import { heartbeatMs } from '#contract/live.ts';
import { Fault } from './fault.ts';
import { callOutcomes, type LinkState, useLink } from './link-state.ts';
import { sessionIsOver, useSessionEnd } from './session-end.ts';

export const silenceMs = 2 * heartbeatMs;
/** A stream that reconnects within this time does not count as cut. */
const patienceMs = 4_000;
const lookMs = 1_000;
const probeEveryMs = 10_000;

interface LinkWatch {
  /** A message arrived on the event stream. */
  heard(): void;
  /** The event stream ended or cannot connect. */
  lost(): void;
  stop(): void;
}

/**
 * Decides from evidence whether the link works: messages of the stream, answers and failures of calls, and
 * its own probe in case of doubt. `onBack` is called when missed data must be loaded.
 */
export const watchLink = (probe: () => Promise<void>, onBack: () => void): LinkWatch => {
  const startedAt = Date.now();
  let heardAt: number | null = null;
  let lostAt: number | null = startedAt;
  const { state, since } = useLink.getState();
  // A console that opened without a network knows since when there is no contact.
  let isDown = state === 'cut';
  let answeredAt = isDown ? since : startedAt;
  let probedAt = Number.NEGATIVE_INFINITY;
  let probing = false;
  /** The network returned during a probe. */
  let again = false;

  const stateAt = (now: number): LinkState => {
    const streams =
      now - (heardAt ?? startedAt) <= silenceMs && (lostAt === null || now - lostAt <= patienceMs);
    // Without a session nothing on the screen is kept up to date.
    if (isDown || sessionIsOver()) return 'cut';
    if (streams) return heardAt === null ? 'connecting' : 'live';
    // An answer counts only if it came after the stream became silent, or shortly before.
    return now - answeredAt <= silenceMs ? 'polling' : 'cut';
  };
  const look = () => {
    const now = Date.now();
    const before = useLink.getState().state;
    const state = stateAt(now);
    if (state !== before) {
      useLink.setState({ state, since: Math.max(answeredAt, heardAt ?? 0) });
      if (!sessionIsOver() && (state === 'polling' || (state === 'live' && before !== 'connecting')))
        onBack();
    }
    if (state === 'polling' || state === 'cut') tryNow(now);
  };
  const tryNow = (now: number) => {
    if (probing || sessionIsOver() || now - probedAt < probeEveryMs) return;
    probing = true;
    probedAt = now;
    void probe().then(
      () => {
        probing = false;
        answered();
      },
      (error: unknown) => {
        probing = false;
        isDown = true;
        useLink.setState({ withoutDatabase: error instanceof Fault && error.status === 503 });
        if (again) probedAt = Number.NEGATIVE_INFINITY;
        again = false;
        look();
      },
    );
  };
  const answered = () => {
    answeredAt = Date.now();
    isDown = false;
    if (useLink.getState().state === 'cut') look();
  };
  const suspect = () => {
    // A failure of the probe itself also ends here.
    if (probing) return;
    probedAt = Number.NEGATIVE_INFINITY;
    tryNow(Date.now());
  };
  const offline = () => {
    isDown = true;
    look();
  };
  callOutcomes.answered = answered;
  callOutcomes.failed = suspect;
  window.addEventListener('offline', offline);
  const online = () => {
    again = probing;
    suspect();
  };
  window.addEventListener('online', online);
  if (!navigator.onLine) offline();
  const forget = useSessionEnd.subscribe(look);
  const timer = window.setInterval(look, lookMs);
  return {
    heard() {
      heardAt = Date.now();
      lostAt = null;
      if (useLink.getState().state !== 'live') {
        // A working stream does not prove that calls are answered.
        if (isDown) suspect();
        look();
      }
    },
    lost() {
      lostAt ??= Date.now();
      look();
    },
    stop() {
      window.clearInterval(timer);
      forget();
      window.removeEventListener('offline', offline);
      window.removeEventListener('online', online);
      callOutcomes.answered = () => undefined;
      callOutcomes.failed = () => undefined;
    },
  };
};
