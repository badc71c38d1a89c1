import { useEffect, useState } from 'react';

/** Gives the focus back to the element that opened a removed dialog, unless it moved elsewhere. */
export const focusBack = (opener: Element | null): void => {
  const { activeElement, body } = document;
  const isFree = activeElement === null || activeElement === body || !activeElement.isConnected;
  if (isFree && opener instanceof HTMLElement && opener.isConnected) opener.focus();
};

/**
 * Returns the focus to the element that opened a dialog when the dialog closes. For a dialog that is mounted
 * only while open.
 */
export const useFocusBack = (): void => {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the dialog itself is removed, unless it navigated elsewhere.
      window.setTimeout(() => focusBack(opener));
    },
    [opener],
  );
};
