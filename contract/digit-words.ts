import type { Language } from './languages.ts';

export const digitWords: Record<Language, readonly string[]> = {
  'zh-CN': ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'],
  'en-US': ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  'ru-RU': ['ноль', 'один', 'два', 'три', 'четыре', 'пять', 'шесть', 'семь', 'восемь', 'девять'],
};
export const spokenIntroduction: Record<Language, string> = {
  'zh-CN': '请依次输入这四个数字:{digits}',
  'en-US': 'Type these four digits: {digits}',
  'ru-RU': 'Введите четыре цифры: {digits}',
};
