import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** Runs the work of a call so that every log line of it contains the call's id. */
export const withRequestId = <Result>(id: string, run: () => Result): Result => ids.run(id, run);
/** The id of the current call; undefined: none. */
export const currentRequestId = (): string | undefined => ids.getStore();
