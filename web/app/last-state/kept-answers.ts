import { lastStateName } from '#web/api/session.ts';

/** An answer of the server as this device saw it last. */
export interface KeptAnswer {
  /** The user who received the answer. */
  user: number;
  /** Path and body of the call. */
  key: string;
  at: number;
  data: unknown;
}

const table = 'answers';
const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('the last state cannot be kept', { cause: request.error }));
  });
/** Local storage is emptied when the page is closed, so the answers are in IndexedDB. */
const within = async <Value>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => Promise<Value>,
): Promise<Value> => {
  const opening = indexedDB.open(lastStateName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(table, { keyPath: ['user', 'key'] });
  const database = await settled(opening);
  try {
    return await ask(database.transaction(table, mode).objectStore(table));
  } finally {
    database.close();
  }
};
/** Newest first. */
export const readAnswers = async (): Promise<KeptAnswer[]> => {
  const all = await within('readonly', (store) => settled<KeptAnswer[]>(store.getAll()));
  return all.toSorted((a, b) => b.at - a.at);
};
/** If the browser cannot store the answers, nothing is kept: the console works without them. */
export const writeAnswers = (written: readonly KeptAnswer[], dropped: readonly KeptAnswer[]): Promise<void> =>
  within('readwrite', async (store) => {
    await Promise.all<unknown>([
      ...dropped.map(({ user, key }) => settled(store.delete([user, key]))),
      ...written.map((answer) => settled(store.put(answer))),
    ]);
  });
