/** A Chinese name in use: syllables without spaces or tones, their first letters, and pairs of neighbouring characters. */
export interface SearchNamesTable {
  name: string;
  pinyin: string;
  initials: string;
  pairs: string[];
}
