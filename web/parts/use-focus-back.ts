import { useEffect, useState } from 'react';

/** When a dialog that was mounted only while open goes away, the focus returns to what opened it. */
export const useFocusBack = (): void => {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the dialog itself is gone, and unless it led somewhere else.
      window.setTimeout(() => {
        const { activeElement, body } = document;
        const isFree = activeElement === null || activeElement === body || !activeElement.isConnected;
        if (isFree && opener instanceof HTMLElement && opener.isConnected) opener.focus();
      });
    },
    [opener],
  );
};
