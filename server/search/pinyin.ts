import { initialOf } from '#contract/pinyin.ts';

const syllablePattern =
  /^(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|van|ai|ei|ao|ou|an|en|in|un|vn|ia|ie|iu|ua|uo|ui|ue|ve|er|a|o|e|i|u|v)$/;
const longestSyllable = 6;
/** Pinyin in so many syllables, the longest first; null: it has another number of them. */
const split = (pinyin: string, count: number): string[] | null => {
  if (count === 0) return pinyin === '' ? [] : null;
  for (let length = Math.min(longestSyllable, pinyin.length); length > 0; length--) {
    const first = pinyin.slice(0, length);
    const rest = syllablePattern.test(first) ? split(pinyin.slice(length), count - 1) : null;
    if (rest) return [first, ...rest];
  }
  return null;
};

/** What each character is most often read as in names whose pinyin is known. */
const readingsOf = (known: readonly { name: string; pinyin: string }[]): ReadonlyMap<string, string> => {
  const votes = new Map<string, Map<string, number>>();
  for (const { name, pinyin } of known) {
    const chars = [...name];
    const found = split(pinyin, chars.length) ?? [];
    for (const [index, syllable] of found.entries()) {
      const of = votes.get(chars[index]!) ?? new Map<string, number>();
      votes.set(chars[index]!, of.set(syllable, (of.get(syllable) ?? 0) + 1));
    }
  }
  return new Map([...votes].map(([char, of]) => [char, [...of].sort((a, b) => b[1] - a[1])[0]![0]]));
};

export interface NamePinyin {
  /** Syllables without spaces; of a character whose reading is not known only the first letter. */
  pinyin: string;
  initials: string;
}
/** A reader of names that knows the readings in these names; letters and digits stay as they are. */
export const createPinyin = (
  known: readonly { name: string; pinyin: string }[],
): ((name: string) => NamePinyin) => {
  const readings = readingsOf(known);
  return (name) => {
    const parts = [...name.toLowerCase()].map((char) => {
      if (/[a-z0-9]/.test(char)) return { pinyin: char, initial: char };
      const initial = readings.get(char)?.[0] ?? initialOf(char);
      return { pinyin: readings.get(char) ?? initial, initial };
    });
    return {
      pinyin: parts.map(({ pinyin }) => pinyin).join(''),
      initials: parts.map(({ initial }) => initial).join(''),
    };
  };
};
