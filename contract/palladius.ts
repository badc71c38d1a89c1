/** Finals of pinyin in the Palladius system, the Russian transcription, after an initial. */
const finals: Readonly<Record<string, string>> = {
  ...{ a: 'а', o: 'о', e: 'э', ai: 'ай', ei: 'эй', ao: 'ао', ou: 'оу' },
  ...{ an: 'ань', en: 'энь', ang: 'ан', eng: 'эн', ong: 'ун', er: 'эр' },
  ...{
    i: 'и',
    ia: 'я',
    ie: 'е',
    iao: 'яо',
    iu: 'ю',
    ian: 'янь',
    in: 'инь',
    iang: 'ян',
    ing: 'ин',
    iong: 'юн',
  },
  ...{ u: 'у', ua: 'уа', uo: 'о', uai: 'уай', ui: 'уй', uan: 'уань', un: 'унь', uang: 'уан' },
  ...{ ü: 'юй', üe: 'юэ', üan: 'юань', ün: 'юнь' },
};
const initials: Readonly<Record<string, string>> = {
  ...{ b: 'б', p: 'п', m: 'м', f: 'ф', d: 'д', t: 'т', n: 'н', l: 'л', g: 'г', k: 'к', h: 'х' },
  ...{ j: 'цз', q: 'ц', x: 'с', zh: 'чж', ch: 'ч', sh: 'ш', r: 'ж', z: 'цз', c: 'ц', s: 'с' },
};
/** Syllables that cannot be derived from their initial and final. */
const whole: Readonly<Record<string, string>> = {
  ...{ zi: 'цзы', ci: 'цы', si: 'сы', hui: 'хуэй' },
  // Place names often leave out these two dots: no syllable is read as lue or nue.
  ...{ lue: 'люэ', nue: 'нюэ' },
  ...{
    wa: 'ва',
    wo: 'во',
    wai: 'вай',
    wei: 'вэй',
    wan: 'вань',
    wen: 'вэнь',
    wang: 'ван',
    weng: 'вэн',
    wu: 'у',
  },
  ...{ ya: 'я', ye: 'е', yao: 'яо', you: 'ю', yan: 'янь', yin: 'инь', yang: 'ян', ying: 'ин', yong: 'юн' },
  ...{ yi: 'и', yu: 'юй', yue: 'юэ', yuan: 'юань', yun: 'юнь' },
};

const afterPalatal: Readonly<Record<string, string>> = { u: 'ü', ue: 'üe', uan: 'üan', un: 'ün' };
const palatals = ['j', 'q', 'x'];

/** One pinyin syllable in Cyrillic; undefined if it is not pinyin. */
const syllable = (text: string): string | undefined => {
  const known = whole[text];
  if (known !== undefined) return known;
  const initial = /^(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?/.exec(text)?.[0] ?? '';
  const rest = text.slice(initial.length);
  const final = finals[palatals.includes(initial) ? (afterPalatal[rest] ?? rest) : rest];
  if (final === undefined || (initial === '' && !/^[aeo]/.test(rest))) return undefined;
  return (initials[initial] ?? '') + final;
};
const longest = 6;

/**
 * Splits pinyin without tones into syllables. Within a word an apostrophe comes before a syllable that begins
 * with a vowel, which resolves ambiguous texts: Xi'an and xian, Jinan and not Jin'an.
 */
const syllables = (text: string): string[] | null => {
  if (text === '') return [];
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const cyrillic = syllable(text.slice(0, length));
    const after = text.slice(length);
    if (cyrillic === undefined || /^[aeoiuü]/.test(after)) continue;
    const rest = syllables(after);
    if (rest) return [cyrillic, ...rest];
  }
  return null;
};

const word = (pinyin: string): string | null => {
  const parts: string[] = [];
  for (const stretch of pinyin.split(/['’]/)) {
    const found = syllables(stretch);
    if (!found) return null;
    parts.push(...found);
  }
  const text = parts.reduce((before, part) => {
    // н from -ng before a vowel: Чанъань, not Чанань.
    const separates = before.endsWith('н') && /^[аоуэияюе]/.test(part);
    return before + (separates ? 'ъ' : '') + part;
  }, '');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

/** A Chinese name from pinyin (without tones, ü as ü or v) to Cyrillic; null if it is not pinyin. */
export const palladius = (pinyin: string): string | null => {
  const words = pinyin.toLowerCase().replaceAll('v', 'ü').split(' ').map(word);
  return words.includes(null) ? null : words.join(' ');
};
