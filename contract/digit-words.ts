import type { Language } from './languages.ts';

const words: Record<Language, readonly string[]> = {
  'zh-CN': ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十'],
  'en-US': ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  'ru-RU': ['ноль', 'один', 'два', 'три', 'четыре', 'пять', 'шесть', 'семь', 'восемь', 'девять', 'десять'],
};

/** One way to ask for a digit; `chance` is a random digit from 1 to 9. */
interface Riddle {
  fits(digit: number): boolean;
  ask(digit: number, chance: number): string;
}
const always = () => true;
/** Sums and differences of numbers up to ten, and the digits before and after. */
const riddlesIn = (
  language: Language,
  sentences: Record<'plus' | 'minus' | 'after' | 'before', string>,
): readonly Riddle[] => {
  const word = (n: number) => words[language][n]!;
  const fill = (sentence: string, a: number, b = 0) =>
    sentence.replace('{a}', word(a)).replace('{b}', word(b));
  const within = (most: number, chance: number) => (most < 1 ? 0 : 1 + (chance % most));
  return [
    {
      fits: always,
      ask: (digit, chance) => {
        const b = within(digit, chance);
        return fill(sentences.plus, digit - b, b);
      },
    },
    {
      fits: always,
      ask: (digit, chance) => {
        const b = within(10 - digit, chance);
        return fill(sentences.minus, digit + b, b);
      },
    },
    { fits: (digit) => digit > 0, ask: (digit) => fill(sentences.after, digit - 1) },
    { fits: (digit) => digit < 9, ask: (digit) => fill(sentences.before, digit + 1) },
  ];
};

export const riddles: Record<Language, readonly Riddle[]> = {
  'zh-CN': riddlesIn('zh-CN', {
    plus: '{a}加{b}',
    minus: '{a}减{b}',
    after: '{a}后面的数字',
    before: '{a}前面的数字',
  }),
  'en-US': riddlesIn('en-US', {
    plus: '{a} plus {b}',
    minus: '{a} minus {b}',
    after: 'the digit after {a}',
    before: 'the digit before {a}',
  }),
  'ru-RU': riddlesIn('ru-RU', {
    plus: '{a} плюс {b}',
    minus: '{a} минус {b}',
    after: 'цифра после цифры {a}',
    before: 'цифра перед цифрой {a}',
  }),
};

export const codeQuestion: Record<Language, (asked: readonly string[]) => string> = {
  'zh-CN': (asked) => `请输入四位数字，每题一位：${asked.join('；')}`,
  'en-US': (asked) => `Type four digits, one for each: ${asked.join('; ')}`,
  'ru-RU': (asked) => `Введите четыре цифры, по одной на каждый вопрос: ${asked.join('; ')}`,
};
