import { create } from 'zustand';

/**
 * Whether the server has answered that this session is over. Until a call succeeds again, or another tab is signed in,
 * the console asks for nothing by itself: each question would be refused, and would ask the reader again.
 */
export const useSessionEnd = create<{ over: boolean }>(() => ({ over: false }));
export const sessionIsOver = (): boolean => useSessionEnd.getState().over;
export const noteSessionEnd = (over: boolean): void => {
  if (sessionIsOver() !== over) useSessionEnd.setState({ over });
};
