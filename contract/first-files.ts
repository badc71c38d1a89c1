import type { Language } from './languages.ts';

/** Files below the folder of the built console, and those with words by language. */
interface Needed {
  files: string[];
  words: Record<Language, string[]>;
}
/**
 * Written by the build for the server: the files of every signed-in page, and beside them those of each screen by
 * its address below /home.
 */
export interface FirstFiles {
  frame: Needed;
  screens: Record<string, Needed>;
}
