import { safeReturn } from '../../parts/paths.ts';

export type Arrival =
  | { kind: 'form'; next: string | null }
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
  return link ? { kind: 'link', link } : { kind: 'form', next: safeReturn(query.get('next')) };
};

/** Evaluated before anything else, so that passwords and links disappear from the address bar at once. */
export const arrival = readArrival(window.location.pathname, window.location.search);
if (arrival.kind === 'auto' || arrival.kind === 'link') window.history.replaceState(null, '', '/');
