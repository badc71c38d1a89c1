const hyphen = /-/g;
/**
 * Formats numbers for a reader of the language, with the minus sign of ISO 80000-1: browsers write a hyphen,
 * which is short and may end up on the line above its number.
 */
export const numberFormat = (
  language: string,
  options: Intl.NumberFormatOptions = {},
): ((value: number) => string) => {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    format ??= new Intl.NumberFormat(language, options);
    return format.format(value).replace(hyphen, '\u2212');
  };
};

/** Characters that keyboards and programs use for a minus, a decimal comma or a decimal point. */
const minusSigns = /[\u2212\u2013\u2010-\u2012]/g;
const ideographicStop = /\u3002/g;
const spaces = /[\s'\u2019]/g;
const grouped = /^[1-9]\d{0,2}(?:[.,]\d{3})+$/;

const commaGroups = (language: string): boolean =>
  new Intl.NumberFormat(language)
    .formatToParts(12_345)
    .some(({ type, value }) => type === 'group' && value === ',');

/**
 * The typed number in the reader's language: null for an empty text, NaN for an invalid one. Comma and point
 * both are decimal signs, so '0,3' and '0.3' are the same in every language. A comma or point separates
 * thousands only if it can mean nothing else: it repeats, the other sign follows, or the reader's language
 * writes '1,000' so.
 */
export const readNumber = (text: string, language: string): number | null => {
  const plain = text
    .normalize('NFKC')
    .replace(minusSigns, '-')
    .replace(ideographicStop, '.')
    .replace(spaces, '');
  if (plain === '') return null;
  const [, sign = '', digits = ''] = /^([-+]?)([\d.,]+)$/.exec(plain) ?? [];
  const size = readDigits(digits, language);
  return sign === '-' ? -size : size;
};

const readDigits = (digits: string, language: string): number => {
  const signs = digits.replace(/\d/g, '');
  const [first, last] = [signs[0], signs.at(-1)];
  if (first === undefined) return digits === '' ? Number.NaN : Number(digits);
  if (first !== last) {
    const at = digits.lastIndexOf(last!);
    const whole = digits.slice(0, at);
    return grouped.test(whole) && new Set(whole.replace(/\d/g, '')).size === 1
      ? Number(`${whole.replaceAll(first, '')}.${digits.slice(at + 1)}`)
      : Number.NaN;
  }
  if (signs.length > 1) return grouped.test(digits) ? Number(digits.replaceAll(first, '')) : Number.NaN;
  if (first === ',' && commaGroups(language) && grouped.test(digits)) return Number(digits.replace(',', ''));
  return /\d/.test(digits) ? Number(digits.replace(',', '.')) : Number.NaN;
};

const written = new Map<string, Intl.NumberFormat>();
/**
 * A number as a reader of this language would type it: with their decimal sign and without thousands
 * separators.
 */
export const writeNumber = (value: number | null | undefined, language: string): string => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '';
  const format =
    written.get(language) ??
    new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 10 });
  written.set(language, format);
  return format.format(value);
};
