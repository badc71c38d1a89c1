import type { RouterHistory } from '@tanstack/react-router';
// Styles of dialogs on a phone, which are not needed earlier.
import './phone.css';
import { beforeRouter } from '../before-router.ts';

/** Marks the history entry that Back consumes instead of the screen's own. */
const mark = 'guards';
/** Maximum wait for a history step of this module; one that takes longer will never arrive. */
const arrivalMs = 1_000;
const windows = ['.ant-modal-wrap', '.ant-drawer-open'];
/** On a touch screen Back also closes a menu; with a mouse the user clicks beside it. */
const menus = ['dropdown', 'select-dropdown', 'picker-dropdown', 'popover'].map(
  (kind) => `.ant-${kind}:not(.ant-${kind}-hidden)`,
);
const openLayers = (): Element[] => {
  const byThumb = window.matchMedia('(pointer: coarse)').matches;
  const found = document.querySelectorAll<HTMLElement>([...windows, ...(byThumb ? menus : [])].join());
  return [...found].filter(({ style }) => style.display !== 'none');
};

interface EntryState {
  [mark]?: boolean;
  __TSR_index?: number;
}
const entry = (): EntryState => (window.history.state as EntryState | null) ?? {};
const isGuard = (): boolean => entry()[mark] === true;
const indexHere = (): number => entry().__TSR_index ?? 0;

/** Closes as Esc does: each layer closes, asks about unsaved work, or refuses, by its own rule. */
const closeTopmost = (): void => {
  const at = document.activeElement ?? document.body;
  at.dispatchEvent(
    new KeyboardEvent('keydown', {
      ...{ key: 'Escape', code: 'Escape', keyCode: 27 },
      ...{ bubbles: true, cancelable: true },
    }),
  );
};

/**
 * Back closes the topmost dialog, drawer or menu before it leaves the screen. While one is open, the history
 * has one more entry with the screen's address, the guard; Back arrives below it and is reversed. A layer
 * opened by the address already has an entry of its own: there Back is left to the router. Returns a function
 * that ends this.
 */
export const watchBack = (history: RouterHistory): (() => void) => {
  const ending = new AbortController();
  const listening = { capture: true, signal: ending.signal };
  /** The open layers; true: the address opened the layer. */
  const known = new Map<Element, boolean>();
  // If a dialog was open before this module loaded, a touch or the page's first address opened it.
  let movedSinceTouch = !navigator.userActivation.hasBeenActive;
  let steppingSince: number | null = null;
  let indexBefore = indexHere();
  let wasGuard = isGuard();

  const step = (by: 1 | -1) => {
    steppingSince = Date.now();
    window.history.go(by);
  };
  const isStepping = () => steppingSince !== null && Date.now() - steppingSince < arrivalMs;
  const needsGuard = () => [...known.values()].includes(false);
  const settle = () => {
    const open = openLayers();
    for (const layer of known.keys()) if (!open.includes(layer)) known.delete(layer);
    for (const layer of open) if (!known.has(layer)) known.set(layer, movedSinceTouch);
    if (isStepping()) return;
    if (needsGuard() && !isGuard())
      // The router's own `pushState` would treat it as a navigation.
      History.prototype.pushState.call(window.history, { ...entry(), [mark]: true }, '');
    else if (!needsGuard() && isGuard()) step(-1);
    remember();
  };
  const remember = () => {
    indexBefore = indexHere();
    wasGuard = isGuard();
  };
  const pop = (event: PopStateEvent) => {
    if (isStepping()) {
      steppingSince = null;
      event.stopImmediatePropagation();
      settle();
      return;
    }
    if (wasGuard && needsGuard() && indexHere() === indexBefore) {
      event.stopImmediatePropagation();
      step(1);
      closeTopmost();
      return;
    }
    movedSinceTouch = true;
    // A guard that a screen left behind, because a dialog led elsewhere, is skipped in the direction of the
    // navigation.
    if (isGuard() && known.size === 0) {
      if (indexHere() < indexBefore) step(-1);
      else window.history.go(1);
    }
    remember();
  };
  const touched = () => {
    movedSinceTouch = false;
  };

  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      if (target === document.body) for (const node of addedNodes) observe(node);
    settle();
  });
  // Layers are children of the body beside the console itself, whose own changes are not observed.
  const observe = (node: Node) => {
    if (node instanceof HTMLElement && node.id !== 'root')
      observer.observe(node, {
        ...{ childList: true, subtree: true, attributes: true },
        attributeFilter: ['class', 'style'],
      });
  };
  observer.observe(document.body, { childList: true });
  for (const node of document.body.children) observe(node);
  for (const kind of ['pointerdown', 'keydown', 'click'] as const)
    window.addEventListener(kind, touched, listening);
  beforeRouter.pop = pop;
  const forget = history.subscribe(({ action }) => {
    if (action.type === 'PUSH' || action.type === 'REPLACE') movedSinceTouch = true;
  });
  settle();
  // Lets tests wait until Back is handled.
  document.body.dataset['watchesBack'] = 'true';
  return () => {
    ending.abort();
    beforeRouter.pop = null;
    observer.disconnect();
    forget();
  };
};
