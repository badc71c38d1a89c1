import { type RefObject, useEffect, useRef } from 'react';

const other = '.ant-modal-wrap, .ant-drawer-open, .ant-dropdown:not(.ant-dropdown-hidden), .ant-select-open';
const isFree = (card: HTMLElement | null, target: EventTarget | null) =>
  target === document.body || (target instanceof HTMLElement && (target.id === 'main' || target === card));
/** Fixed elements have no `offsetParent`: only their styles show whether they are visible. */
const isShown = (element: Element): boolean => {
  for (let each: Element | null = element; each !== null; each = each.parentElement)
    if (getComputedStyle(each).display === 'none') return false;
  return true;
};

/**
 * Enter opens the front pop-up, Esc closes it; both only if nothing else is open and the key has no other
 * meaning.
 */
export const usePopupKeys = (
  card: RefObject<HTMLElement | null>,
  act: { onOpen: () => void; onClose: () => void } | null,
): void => {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    // Read before any handler of the key: a drawer that Esc closes is gone when the event arrives here.
    let isTopmost = false;
    const ask = () => {
      isTopmost = ![...document.querySelectorAll(other)].some(isShown);
    };
    const press = (event: KeyboardEvent) => {
      if (!latest.current || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isTopmost || !isFree(card.current, event.target)) return;
      if (event.key !== 'Escape' && event.key !== 'Enter') return;
      // The pop-up is above the screen, whose own keys are ignored.
      event.preventDefault();
      if (event.key === 'Escape') latest.current.onClose();
      else latest.current.onOpen();
    };
    window.addEventListener('keydown', ask, { capture: true });
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', ask, { capture: true });
      window.removeEventListener('keydown', press);
    };
  }, [card]);
};
