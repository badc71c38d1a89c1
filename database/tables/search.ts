/**
 * A Chinese name in use: its characters, the pairs of neighbouring characters, and its pinyin from each
 * syllable to the end.
 */
export interface SearchNamesTable {
  name: string;
  pieces: string[];
  starts: string;
  spoken: string;
}
