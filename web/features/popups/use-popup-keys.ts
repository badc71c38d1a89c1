import { type RefObject, useEffect, useRef } from 'react';

const other = '.ant-modal-wrap, .ant-drawer-open, .ant-dropdown:not(.ant-dropdown-hidden), .ant-select-open';
const isFree = (card: HTMLElement | null, target: EventTarget | null) =>
  target === document.body || (target instanceof HTMLElement && (target.id === 'main' || target === card));
const isOpen = (element: Element) => element instanceof HTMLElement && element.offsetParent !== null;

/** Enter opens what popped up, Esc snoozes it; both only where the key means nothing else. */
export const usePopupKeys = (
  card: RefObject<HTMLElement | null>,
  act: { onOpen: () => void; onSnooze: () => void } | null,
): void => {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!latest.current || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if ([...document.querySelectorAll(other)].some(isOpen)) return;
      if (event.key === 'Escape') latest.current.onSnooze();
      else if (event.key === 'Enter' && isFree(card.current, event.target)) latest.current.onOpen();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [card]);
};
