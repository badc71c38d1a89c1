import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

// Files share a process, and the libraries that it has loaded: each begins with modules of its own and nothing kept.
vi.resetModules();
localStorage.clear();
sessionStorage.clear();
afterEach(cleanup);

// On a busy machine what comes may come late; where all is well nothing waits.
configure({ asyncUtilTimeout: 60_000 });

// What jsdom lacks and the console's parts ask for.
if (typeof window !== 'undefined')
  window.matchMedia = (query: string) =>
    ({
      matches: false,
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
      addListener: () => undefined,
      removeListener: () => undefined,
    }) as unknown as MediaQueryList;
if (typeof Element !== 'undefined') Element.prototype.scrollIntoView = () => undefined;
class NoResizes {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver = NoResizes;
