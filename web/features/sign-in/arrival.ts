import type { LeaveReason } from '#web/api/session.ts';
import { safeReturn } from '#web/parts/paths.ts';

const reasons: readonly LeaveReason[] = ['restored', 'expired'];
export type Arrival =
  | { kind: 'form'; next: string | null; why?: LeaveReason }
  | { kind: 'link'; link: string }
  | { kind: 'auto'; user: string; pwd: string }
  | { kind: 'inside' };

/** By which link the user arrived. */
export const readArrival = (pathname: string, search: string): Arrival => {
  const query = new URLSearchParams(search);
  if (pathname === '/autologin')
    return { kind: 'auto', user: query.get('user') ?? '', pwd: query.get('pwd') ?? '' };
  if (pathname !== '/') return { kind: 'inside' };
  const link = query.get('link');
  if (link) return { kind: 'link', link };
  const next = safeReturn(query.get('next'));
  const why = reasons.find((reason) => reason === query.get('why'));
  return { kind: 'form', next, ...(why && { why }) };
};

/** Evaluated before anything else, so that passwords and links disappear from the address bar at once. */
export const arrival = readArrival(window.location.pathname, window.location.search);
if (arrival.kind === 'auto' || arrival.kind === 'link') window.history.replaceState(null, '', '/');
