import type { Locale } from 'antd/es/locale/index.js';
import type { WordSource } from '#web/i18n/i18n.ts';

export const antdLocales = new Map<string, Locale>();
const sources = {
  'zh-CN': () => import('./words/zh-CN.ts'),
  'en-US': () => import('./words/en-US.ts'),
  'ru-RU': () => import('./words/ru-RU.ts'),
};
/** The words of every screen and of its parts. */
export const consoleWords: WordSource = async (language) => {
  const { words, locale } = await sources[language]();
  antdLocales.set(language, locale);
  return words;
};
