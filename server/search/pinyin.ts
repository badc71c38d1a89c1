import { isSyllable, syllableOf } from './syllables.ts';

const longestSyllable = 6;
/**
 * Splits pinyin into one syllable per character: the most frequent one of the character if it fits, else the
 * longest.
 */
const split = (pinyin: string, chars: readonly string[]): string[] | null => {
  const [char, ...others] = chars;
  if (char === undefined) return pinyin === '' ? [] : null;
  const usual = syllableOf(char);
  const lengths = Array.from({ length: Math.min(longestSyllable, pinyin.length) }, (_, short) => short + 1);
  for (const length of [...(pinyin.startsWith(usual) ? [usual.length] : []), ...lengths.reverse()]) {
    const first = pinyin.slice(0, length);
    const rest = isSyllable(first) ? split(pinyin.slice(length), others) : null;
    if (rest) return [first, ...rest];
  }
  return null;
};

/** The most frequent reading of each character in names with known pinyin. */
const readingsOf = (known: readonly { name: string; pinyin: string }[]): ReadonlyMap<string, string> => {
  const votes = new Map<string, Map<string, number>>();
  for (const { name, pinyin } of known) {
    const chars = [...name];
    const found = split(pinyin, chars) ?? [];
    for (const [index, syllable] of found.entries()) {
      const of = votes.get(chars[index]!) ?? new Map<string, number>();
      votes.set(chars[index]!, of.set(syllable, (of.get(syllable) ?? 0) + 1));
    }
  }
  return new Map([...votes].map(([char, of]) => [char, [...of].sort((a, b) => b[1] - a[1])[0]![0]]));
};

/** Pinyin of a character, or a word of Latin letters and digits; `initials` has only the first letters. */
interface Spoken {
  pinyin: string;
  initials: string;
}
/**
 * Makes a function that gives a name's pinyin. A character has the pinyin that it has in the known names (厦 is
 * `xia` in 厦门), else its most frequent one; words of letters and digits do not change.
 */
export const createPinyin = (
  known: readonly { name: string; pinyin: string }[],
): ((name: string) => Spoken[]) => {
  const readings = readingsOf(known);
  return (name) =>
    (name.toLowerCase().match(/[a-z0-9]+|\p{Script=Han}/gu) ?? []).map((part) => {
      if (/[a-z0-9]/.test(part)) return { pinyin: part, initials: part };
      const pinyin = readings.get(part) ?? syllableOf(part);
      return { pinyin, initials: pinyin.slice(0, 1) };
    });
};

/**
 * The pinyin of a name from each of its syllables to the end, in full and as initials, each after a space.
 */
export const startsOf = (spoken: readonly Spoken[]): string => {
  const from = (how: keyof Spoken) =>
    spoken.map((_, at) =>
      spoken
        .slice(at)
        .map((part) => part[how])
        .join(''),
    );
  return [...new Set([...from('pinyin'), ...from('initials')])].map((start) => ` ${start}`).join('');
};

/** Each syllable with a hyphen before it. */
export const spokenOf = (spoken: readonly Spoken[]): string =>
  spoken.map(({ pinyin }) => `-${pinyin}`).join('');

/** The text as possible pinyin: Latin letters, perhaps with digits; null: it cannot be pinyin. */
export const lettersOf = (text: string): string | null =>
  /^(?=.*[a-z])[a-z0-9' ]{2,40}$/i.test(text) ? text.toLowerCase().replace(/[' ]/g, '') : null;

const mostReadings = 16;
/** A syllable, the consonant that it begins with, or a number. No syllable begins with i, u or v. */
const pieceAt = (letters: string, at: number): string[] => {
  const number = /^\d+/.exec(letters.slice(at));
  if (number) return [number[0]];
  const lengths = Array.from({ length: longestSyllable }, (_, index) => longestSyllable - index);
  const syllables = lengths
    .map((length) => letters.slice(at, at + length))
    .filter((piece, index) => piece.length === lengths[index] && isSyllable(piece));
  const consonants = /^(?:[zcs]h)?/.exec(letters.slice(at))![0];
  const first = /[a-hj-tw-z]/.test(letters[at]!) ? [letters[at]!] : [];
  return [...new Set([...syllables, ...(consonants === '' ? [] : [consonants]), ...first])];
};

/**
 * The possible initials of a text that mixes syllables and first letters, fewest syllables first: `wancx` can
 * mean `wcx`, then `wacx` … The search looks them up in its index.
 */
export const initialsMeant = (letters: string): string[] => {
  const found = new Set<string>();
  const take = (at: number, left: number, initials: string): void => {
    if (found.size >= mostReadings || letters.length - at < left) return;
    if (left === 0) {
      if (at === letters.length) found.add(initials);
      return;
    }
    if (letters.length - at > left * longestSyllable) return;
    for (const piece of pieceAt(letters, at))
      take(at + piece.length, left - 1, initials + (/\d/.test(piece) ? piece : piece.slice(0, 1)));
  };
  for (let syllables = 2; syllables <= letters.length; syllables++) take(0, syllables, '');
  return [...found];
};

/**
 * A pattern for names whose syllables begin, one after the other, with the pieces of the text, however it is
 * divided.
 */
export const spokenPattern = (letters: string): string => `-${[...letters].join('(?:[a-z0-9]*-)?')}`;
