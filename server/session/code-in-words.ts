import { randomInt } from 'node:crypto';
import { codeQuestion, riddles } from '#contract/digit-words.ts';
import type { Language } from '#contract/languages.ts';
import { limits } from '#contract/limits.ts';
import type { Code } from './captcha.ts';

/** A code for users who cannot see its picture: a small sum for each digit, in the reader's language. */
export const codeInWords = (language: Language): Code => {
  const digits = Array.from({ length: limits.captchaDigits }, () => randomInt(10));
  const asked = digits.map((digit) => {
    const fitting = riddles[language].filter(({ fits }) => fits(digit));
    return fitting[randomInt(fitting.length)]!.ask(digit, randomInt(1, 10));
  });
  return { digits: digits.join(''), image: '', question: codeQuestion[language](asked) };
};
