import { addWords, type WordSource } from '#web/i18n/i18n.ts';

/** The words of all features except those that every screen needs (see `console-words.ts`). */
const files = import.meta.glob<Record<string, object>>([
  '../features/*/words/*.ts',
  '!../features/{messages,popups,sign-in}/words/*.ts',
]);
const sources = new Map<string, WordSource>();

const wordsOf = (feature: string): WordSource => {
  const source =
    sources.get(feature) ??
    (async (language) => ({ ...(await files[`../features/${feature}/words/${language}.ts`]!()) }));
  sources.set(feature, source);
  return source;
};

/** Loads a part of the console together with the words of its features, in the reader's language. */
export const withWords =
  <Part>(features: readonly string[], load: () => Promise<Part>): (() => Promise<Part>) =>
  async () => {
    const [part] = await Promise.all([load(), ...features.map((feature) => addWords(wordsOf(feature)))]);
    return part;
  };
