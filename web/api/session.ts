import { create } from 'zustand';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Permission } from '#contract/permissions.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { keepPrefsWith, showPrefs } from '#web/theme/prefs.ts';
import { call } from './call.ts';
import { dropCookie, readCookie } from './cookies.ts';

export type Session = ReplyOf<(typeof sessionEndpoints)['check']>;

export const useSession = create<{ session: Session | null }>(() => ({ session: null }));

type Asking = typeof globalThis & { askedSession?: Promise<Response> | undefined };
/** The first request for the session, which the page itself sends before its scripts have come: given once. */
const takeFirstRequest = (): Promise<Response> | undefined => {
  const asking = globalThis as Asking;
  const begun = asking.askedSession;
  asking.askedSession = undefined;
  return begun;
};
let asked: Promise<Session> | null = null;
const askSession = async (): Promise<Session> => {
  // Without a session the router leads to the sign-in.
  const options = { quiet: true, shownHere: [401], begun: takeFirstRequest() };
  const session = await call(sessionEndpoints.check, {}, options);
  useSession.setState({ session });
  showPrefs(session.preferences);
  keepPrefsWith((preferences) => void call(sessionEndpoints.preferences, preferences).catch(() => undefined));
  return session;
};
/** The signed-in user; asks the server once. Throws Fault if there is none. */
export const ensureSession = async (): Promise<Session> => {
  const known = useSession.getState().session;
  if (known) return known;
  asked ??= askSession().finally(() => {
    asked = null;
  });
  return asked;
};
/** Loads the session again: after a password check, or a change of permissions. */
export const refreshSession = async (): Promise<void> => {
  useSession.setState({ session: await call(sessionEndpoints.check, {}) });
};

export const signedIn = (): Session => {
  const { session } = useSession.getState();
  if (!session) throw new Error('nobody is signed in');
  return session;
};
export const useSignedIn = (): Session => {
  const session = useSession((state) => state.session);
  if (!session) throw new Error('nobody is signed in');
  return session;
};
export const useCan = (permission: Permission): boolean => useSignedIn().permissions.includes(permission);
/** Whether the account manages every project: only then may it change settings of the whole installation. */
export const useManagesEveryProject = (): boolean => useSignedIn().every_project;
/** Whether the account manages a whole project, not only parts of it. */
export const useManagesProject = (projectId: number): boolean =>
  !useSignedIn().partial_projects.includes(projectId);

/** Cookie that marks that a session was opened here; the session itself is in one that scripts cannot read. */
export const hintCookie = 'signed_in';
export type LeaveReason = 'restored' | 'expired';

/** Name of the browser's database of answers that this device saw last. */
export const lastStateName = 'last-state';
/** Cookie that allows this browser to write that database. */
export const lastStateCookie = 'last_state';

/**
 * Goes to the sign-in screen by a page load, so that no data of this session stays in memory. `why`: the reason
 * that the screen shows.
 */
export const leave = (next?: string, why?: LeaveReason): void => {
  dropCookie(hintCookie);
  // Answers kept for offline use belong to the session too.
  dropCookie(lastStateCookie);
  if (typeof indexedDB !== 'undefined') indexedDB.deleteDatabase(lastStateName);
  // A closing dialog or an opening screen would add a history step, which cancels the page load.
  for (const step of ['go', 'pushState', 'replaceState'] as const) window.history[step] = () => undefined;
  const query = new URLSearchParams({ ...(next && { next }), ...(why && { why }) }).toString();
  window.location.assign(query === '' ? '/' : `/?${query}`);
};
/** Goes to the sign-in screen, because there is no session; it says so if one was open here. */
export const leaveWithoutSession = (next: string): void =>
  leave(next, readCookie(hintCookie) === undefined ? undefined : 'expired');
export const signOut = async (): Promise<void> => {
  await call(sessionEndpoints.signOut, {}, { quiet: true, shownHere: [401] }).catch(() => undefined);
  leave();
};
