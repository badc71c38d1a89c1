import { focusManager } from '@tanstack/react-query';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
import { dropCookie } from './api/cookies.ts';

// Test files share a process, its window and its libraries. Each file begins with fresh modules and empty
// storage.
vi.resetModules();
// A library keeps its state: an ended session of another file would hold back what refreshes itself.
focusManager.setFocused(undefined);
localStorage.clear();
sessionStorage.clear();
for (const cookie of document.cookie.split('; ')) dropCookie(cookie.split('=', 1)[0] ?? '');
window.history.replaceState(null, '', '/');
document.title = '';
document.body.replaceChildren();
for (const part of [document.documentElement, document.body])
  for (const name of part.getAttributeNames()) part.removeAttribute(name);
afterEach(cleanup);

// A busy machine may be slow; a passing test does not use this time.
configure({ asyncUtilTimeout: 60_000 });

// Browser functions that the console's parts need and jsdom lacks.
if (typeof window !== 'undefined') {
  window.scrollTo = () => undefined;
  window.matchMedia = (query: string) =>
    ({
      matches: false,
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
      addListener: () => undefined,
      removeListener: () => undefined,
    }) as unknown as MediaQueryList;
}
if (typeof Element !== 'undefined') Element.prototype.scrollIntoView = () => undefined;
class NoResizes {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver = NoResizes;
