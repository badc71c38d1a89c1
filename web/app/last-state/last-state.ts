import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { alarmEndpoints } from '#contract/alarms.ts';
import { controlEndpoints } from '#contract/control.ts';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { frameParts } from '#contract/frame-parts.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { readCookie, writeCookie } from '#web/api/cookies.ts';
import { useLink } from '#web/api/link-state.ts';
import { lastStateCookie, refreshSession, type Session, useSession } from '#web/api/session.ts';
import { type KeptAnswer, readAnswers, writeAnswers } from './kept-answers.ts';

/** What an electrician needs at the panel. Accounts, settings and logs are not kept. */
const keptPaths: ReadonlySet<string> = new Set([
  ...Object.values(frameParts).map(({ path }) => path),
  ...[alarmEndpoints.list, alarmEndpoints.census, alarmEndpoints.detail].map(({ path }) => path),
  ...[lineEndpoints.list, lineEndpoints.sparks, controlEndpoints.possible].map(({ path }) => path),
  ...[deviceEndpoints.list, deviceEndpoints.detail, tagEndpoints.list].map(({ path }) => path),
  ...[dashboardEndpoints.census, dashboardEndpoints.latest].map(({ path }) => path),
  ...[dashboardEndpoints.places, dashboardEndpoints.sites].map(({ path }) => path),
]);
const sessionKey = 'session';
/** Limits of the kept answers: their number, the characters of one, and their age. */
const [mostAnswers, longestAnswer, oldestMs] = [60, 300_000, 24 * 3_600_000];
const writeEveryMs = 2_000;

const isKept = (key: QueryKey): boolean => typeof key[0] === 'string' && keptPaths.has(key[0]);
const isSmall = (data: unknown): boolean => JSON.stringify(data).length <= longestAnswer;

/** Stores what the reader saw last, until the sign-out. Returns a function that stops it. */
export const keepLastState = (client: QueryClient): (() => void) => {
  if (typeof indexedDB === 'undefined') return () => undefined;
  // A sign-out deletes this cookie, also one in another tab: then nothing more is written.
  writeCookie(lastStateCookie, '1');
  const changed = new Map<string, KeptAnswer>();
  let timer: number | undefined;
  const write = async () => {
    timer = undefined;
    const { session } = useSession.getState();
    if (!session || changed.size === 0 || readCookie(lastStateCookie) === undefined) return;
    const user = session.user_id;
    const now = { user, key: sessionKey, at: Date.now(), data: session };
    const written = [...changed.values()]
      .filter(({ data }) => isSmall(data))
      .map((each) => ({ ...each, user }));
    changed.clear();
    const before = await readAnswers();
    const keys = new Set(written.map(({ key }) => key));
    const others = before.filter((answer) => answer.user !== user || isTooOld(answer));
    const older = before.filter(({ key }) => key !== sessionKey && !keys.has(key));
    await writeAnswers(
      [...written, now],
      [...others, ...older.slice(Math.max(0, mostAnswers - written.length))],
    );
  };
  const writeNow = () => void write().catch(() => undefined);
  const note = ({ queryKey, state }: Query) => {
    if (state.status !== 'success' || !isKept(queryKey)) return;
    const key = JSON.stringify(queryKey);
    changed.set(key, { user: 0, key, at: state.dataUpdatedAt, data: state.data });
    timer ??= window.setTimeout(writeNow, writeEveryMs);
  };
  const cache = client.getQueryCache();
  for (const query of cache.getAll()) note(query);
  const stop = cache.subscribe(({ type, query }) => {
    if (type === 'updated') note(query);
  });
  const hide = () => {
    if (document.visibilityState === 'hidden') writeNow();
  };
  document.addEventListener('visibilitychange', hide);
  return () => {
    stop();
    window.clearTimeout(timer);
    document.removeEventListener('visibilitychange', hide);
  };
};

const isTooOld = ({ at }: KeptAnswer): boolean => Date.now() - at > oldestMs;

/**
 * Opens the console offline with the session and the answers that this device stored. The newest answer's time
 * counts as the last contact, so everything is shown as old and nothing can be switched. False: nothing is
 * stored.
 */
export const restoreLastState = async (client: QueryClient): Promise<boolean> => {
  if (typeof indexedDB === 'undefined') return false;
  const answers = (await readAnswers().catch(() => [])).filter((answer) => !isTooOld(answer));
  const last = answers.find(({ key }) => key === sessionKey);
  if (!last) return false;
  for (const { user, key, at, data } of answers)
    if (user === last.user && key !== sessionKey)
      client.setQueryData(JSON.parse(key) as QueryKey, data, { updatedAt: at });
  useLink.setState({ state: 'cut', since: last.at });
  useSession.setState({ session: last.data as Session });
  // Rights may have changed meanwhile, and the session may have ended.
  const stop = useLink.subscribe(({ state }) => {
    if (state === 'cut') return;
    stop();
    refreshSession().catch(() => undefined);
  });
  return true;
};
