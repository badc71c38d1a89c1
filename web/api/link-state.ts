import { create } from 'zustand';

/**
 * The server sends a heartbeat every `heartbeatMs` of contract/live.ts; after twice that time the stream
 * counts as silent.
 */
export type LinkState = 'connecting' | 'live' | 'polling' | 'cut';

/**
 * Whether the screen is live, polled because only the event stream is cut, or without any contact to the server.
 * `since` is the last proof of contact.
 */
/**
 * `withoutDatabase`: the server answers, but has no database. `aheadMs`: how far the server's clock is ahead of this
 * one. Ages use the server's clock.
 */
export const useLink = create<{
  state: LinkState;
  since: number;
  withoutDatabase: boolean;
  aheadMs: number;
}>(() => ({
  state: 'connecting',
  since: Date.now(),
  withoutDatabase: false,
  aheadMs: 0,
}));
export const useIsCut = (): boolean => useLink(({ state }) => state === 'cut');

/** Reports of calls about the link; `startLive` listens. */
export const callOutcomes = {
  answered: (): void => undefined,
  failed: (): void => undefined,
};
