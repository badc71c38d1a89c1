import type { Locale } from 'antd/es/locale/index.js';
import type { WordSource } from '../i18n/i18n.ts';

export const antdLocales = new Map<string, Locale>();
const sources = {
  'zh-CN': () =>
    Promise.all([
      import('./words/zh-CN.ts'),
      import('antd/es/locale/zh_CN.js'),
      import('dayjs/locale/zh-cn'),
    ]),
  'en-US': () =>
    Promise.all([import('./words/en-US.ts'), import('antd/es/locale/en_US.js'), import('dayjs/locale/en')]),
  'ru-RU': () =>
    Promise.all([import('./words/ru-RU.ts'), import('antd/es/locale/ru_RU.js'), import('dayjs/locale/ru')]),
};
/** The words that every screen needs, and those of its parts. */
export const consoleWords: WordSource = async (language) => {
  const [{ words }, locale] = await sources[language]();
  antdLocales.set(language, locale.default);
  return words;
};
