import { useEffect, useState } from 'react';

/** Whether the console is in full screen, and its switch; null if the browser cannot. */
export const useFullScreen = (): { full: boolean; toggle: (() => void) | null } => {
  const [full, setFull] = useState(document.fullscreenElement !== null);
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, []);
  const toggle = () => void (full ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  return { full, toggle: document.fullscreenEnabled ? toggle : null };
};
