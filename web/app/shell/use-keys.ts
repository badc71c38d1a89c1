import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { paths } from '#web/parts/paths.ts';
import { homePath } from '../menu.ts';

const goKeys: Readonly<Record<string, string>> = {
  d: homePath('datascreen'),
  a: homePath('alarmList'),
  p: homePath('projectlist'),
  e: homePath('devicelist'),
};
/** The most severe unprocessed alarm, on any screen. */
const worstAlarm = paths.alarmList({ status: 'unprocessed', show: 'first' });
const chordMs = 1200;
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** The console's keys: Ctrl K, ?, /, w, and `g` followed by a letter. */
export const useKeys = (act: { onPalette: () => void; onKeys: () => void }): void => {
  const router = useRouter();
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    let chordUntil = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        latest.current.onPalette();
        return;
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.timeStamp < chordUntil ? goKeys[event.key] : undefined;
      chordUntil = 0;
      if (target !== undefined) router.history.push(target);
      else if (event.key === 'g') chordUntil = event.timeStamp + chordMs;
      else if (event.key === 'w') router.history.push(worstAlarm);
      else if (event.key === '?') latest.current.onKeys();
      else if (event.key === '/') {
        const box = document.querySelector<HTMLInputElement>(
          'main [data-search] input, main input[data-search]',
        );
        if (!box) return;
        event.preventDefault();
        box.focus();
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [router]);
};
