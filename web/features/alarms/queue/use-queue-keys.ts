import { useEffect, useRef } from 'react';
import { rowButtonId } from './QueueRow.tsx';

interface QueueKeys {
  /** Rows in their visible order. */
  ids: readonly number[];
  current: number | undefined;
  onMove: (id: number) => void;
  onShow: (id: number) => void;
  /** Null while no alarm is shown beside the list. */
  onLeave: (() => void) | null;
  acts: Readonly<Record<'h' | 'x' | 's' | 'r', (id: number) => void>>;
}
const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
/** Elements in which keys have another meaning: fields, dialogs, menus. */
const elsewhere =
  'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"], [role="listbox"], [role="combobox"], .ant-popover';
const isOverlaid = () =>
  [
    ...document.querySelectorAll(
      '.ant-modal-wrap, .ant-drawer-open, .ant-dropdown:not(.ant-dropdown-hidden)',
    ),
  ].some((each) => getComputedStyle(each).display !== 'none');

/** Scrolls the current row into view and focuses it. */
export const focusRow = (id: number): void => {
  const button = document.getElementById(rowButtonId(id));
  button?.focus({ preventScroll: true });
  button?.closest('tr')?.scrollIntoView({ block: 'nearest' });
};

/**
 * j k (or arrows), Enter, h, x, s, r and Esc, wherever the focus is, unless a field or a window uses the key.
 */
export const useQueueKeys = (keys: QueueKeys): void => {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof HTMLElement ? event.target : document.body;
      if (target.closest(elsewhere) || isOverlaid()) return;
      const { ids, current, onMove, onShow, onLeave, acts } = latest.current;
      const step = steps[event.key];
      if (step !== undefined) {
        // Inside the incident view the arrows scroll.
        if (event.key.startsWith('Arrow') && target.closest('.incident')) return;
        const at = current === undefined ? -1 : ids.indexOf(current);
        const next = at < 0 ? ids[0] : ids[at + step];
        event.preventDefault();
        if (next !== undefined) onMove(next);
        return;
      }
      const isFree = target === document.body || target.id === 'main';
      if (event.key === 'Enter' && isFree) {
        const first = current ?? ids[0];
        if (first === undefined) return;
        event.preventDefault();
        onShow(first);
      } else if (event.key === 'Escape' && onLeave) {
        event.preventDefault();
        onLeave();
      } else if (event.key in acts && current !== undefined) {
        event.preventDefault();
        acts[event.key as keyof typeof acts](current);
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
};
