import { create } from 'zustand';

/**
 * Whether the server has reported that this session is over. Until a call succeeds again, or another tab signs
 * in, the console makes no calls by itself: each would be refused and would show the sign-in question again.
 */
export const useSessionEnd = create<{ over: boolean }>(() => ({ over: false }));
export const sessionIsOver = (): boolean => useSessionEnd.getState().over;
export const noteSessionEnd = (over: boolean): void => {
  if (sessionIsOver() !== over) useSessionEnd.setState({ over });
};
