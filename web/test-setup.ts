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
