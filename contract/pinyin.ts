/**
 * Every first letter of pinyin with the first character that begins with it, in the order of a Chinese
 * dictionary.
 */
const letters = 'abcdefghjklmnopqrstwxyz';
const firsts = [...'吖八嚓咑妸发旮哈丌咔垃妈拏噢妑七呥仨他穵夕丫帀'];
const collator = new Intl.Collator('zh-u-co-pinyin');
export const han = /\p{Script=Han}/u;

/** The first letter of a character's pinyin, from the ICU sort order; '' if it is not a Chinese character. */
export const initialOf = (char: string): string => {
  if (!han.test(char)) return '';
  const after = firsts.findIndex((first) => collator.compare(char, first) < 0);
  return letters[(after === -1 ? firsts.length : after) - 1] ?? '';
};

/** The first letters of a name in pinyin; letters and digits stay as they are. */
export const initialsOf = (name: string): string =>
  [...name.toLowerCase()].map((char) => (/[a-z0-9]/.test(char) ? char : initialOf(char))).join('');
