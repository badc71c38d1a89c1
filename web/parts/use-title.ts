import { useEffect } from 'react';

/** Names the page in the tab of the browser, its history, and for screen readers. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Ampwatch`;
  }, [title]);
};
