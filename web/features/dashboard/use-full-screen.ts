import { useEffect, useState } from 'react';

/** Whether the console fills the screen, and the switch for it; null where the browser cannot. */
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
