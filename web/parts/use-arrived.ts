import { useDeferredValue } from 'react';

/**
 * The data from their first drawing on, which the browser may interrupt: a list that arrives does not hold up
 * keys and clicks while its rows are made. Later data are returned at once.
 */
export const useArrived = <Data>(data: Data | undefined): Data | undefined =>
  useDeferredValue(data !== undefined) ? data : undefined;
