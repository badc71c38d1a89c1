import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** Runs what a call causes so that every line of the log that comes of it carries the call's id. */
export const withRequestId = <Result>(id: string, run: () => Result): Result => ids.run(id, run);
/** The id of the call that led here; undefined: none did. */
export const currentRequestId = (): string | undefined => ids.getStore();
