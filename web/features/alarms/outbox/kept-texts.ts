import { create } from 'zustand';
import { dropCookie, writeCookie } from '#web/api/cookies.ts';
import { keptCookie } from './outbox-part.ts';

/** A handling text that was written offline. */
export interface KeptText {
  /** Its author: no other user of this browser sees or sends it. */
  user: number;
  /** The alarm, and its revision when the text was written. */
  id: number;
  revision: number;
  typeNumber: number;
  where: string;
  content: string;
  written_at: string;
  /** Why the server refused it: a reason of its results, or its sentence. Null: not sent yet. */
  refused: string | null;
}

/** Texts of the signed-in user, oldest first. */
export const useKeptTexts = create<{ texts: readonly KeptText[] }>(() => ({ texts: [] }));

const table = 'handlings';
const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('the texts cannot be kept', { cause: request.error }));
  });
/** Whether this browser can store them at all. */
export const canKeep = (): boolean => typeof indexedDB !== 'undefined';
/** Local storage is emptied when the page is closed, so they are in IndexedDB. */
const within = async <Value>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> => {
  const opening = indexedDB.open('outbox', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(table, { keyPath: ['user', 'id'] });
  const database = await settled(opening);
  try {
    return await settled(ask(database.transaction(table, mode).objectStore(table)));
  } finally {
    database.close();
  }
};

/** Reads the texts that this device keeps for a user. Without a database in the browser nothing is kept. */
export const loadKeptTexts = async (user: number): Promise<void> => {
  const all = await within<KeptText[]>('readonly', (store) => store.getAll()).catch(() => []);
  const texts = all
    .filter((text) => text.user === user)
    .toSorted((a, b) => a.written_at.localeCompare(b.written_at));
  useKeptTexts.setState({ texts });
  if (all.length === 0) dropCookie(keptCookie);
  else writeCookie(keptCookie, '1');
};
/** A later text for the same alarm replaces an earlier one. Throws if the browser cannot store it. */
export const keepText = async (text: KeptText): Promise<void> => {
  await within('readwrite', (store) => store.put(text));
  await loadKeptTexts(text.user);
};
export const dropText = async ({ user, id }: KeptText): Promise<void> => {
  await within('readwrite', (store) => store.delete([user, id]));
  await loadKeptTexts(user);
};
