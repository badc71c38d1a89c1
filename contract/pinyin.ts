/** Every first letter of pinyin with the first character that has it, in the order of a Chinese dictionary. */
const letters = 'abcdefghjklmnopqrstwxyz';
const firsts = [...'阿八嚓哒妸发旮哈讥咔垃痳拏噢妑七呥扨它穵夕丫帀'];
const collator = new Intl.Collator('zh-u-co-pinyin');
const han = /\p{Script=Han}/u;

/** The first letter of a character's pinyin, from the order in which ICU sorts; '' where it is no Chinese character. */
export const initialOf = (char: string): string => {
  if (!han.test(char)) return '';
  const after = firsts.findIndex((first) => collator.compare(char, first) < 0);
  return letters[(after === -1 ? firsts.length : after) - 1] ?? '';
};

/** The first letters of a name in pinyin; letters and digits stay as they are. */
export const initialsOf = (name: string): string =>
  [...name.toLowerCase()].map((char) => (/[a-z0-9]/.test(char) ? char : initialOf(char))).join('');
