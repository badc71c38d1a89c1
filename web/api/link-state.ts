import { create } from 'zustand';

export type LinkState = 'connecting' | 'live' | 'polling';
/** Whether what is on the screen comes live, or is polled because the live link is cut. */
export const useLink = create<{ state: LinkState }>(() => ({ state: 'connecting' }));
