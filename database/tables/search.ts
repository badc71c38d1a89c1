/** A Chinese name in use: its characters with their pairs of neighbours, and how it reads from each syllable on. */
export interface SearchNamesTable {
  name: string;
  pieces: string[];
  starts: string;
  spoken: string;
}
