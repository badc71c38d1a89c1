import { create } from 'zustand';

/**
 * Since when the server has been replacing its data with a backup; null: it is not. Meanwhile the server
 * answers no call; it answers again when the restore is done.
 */
export const useRestore = create<{ since: number | null }>(() => ({ since: null }));
export const isRestoring = (): boolean => useRestore.getState().since !== null;
export const noteRestore = (since: number | null): void => useRestore.setState({ since });
