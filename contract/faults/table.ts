import type { Language } from '../languages.ts';

/** HTTP status, answer code, and the sentence in each language; `{name}` takes a parameter. */
export type FaultEntry = { http: number; code: number } & Record<Language, string>;
export type FaultTable = Record<string, FaultEntry>;
