import type { Language } from './languages.ts';

/** What an answer says when the call did what it was asked. */
export const doneSentence: Record<Language, string> = {
  'zh-CN': '操作成功!',
  'en-US': 'Operation successful!',
  'ru-RU': 'Операция выполнена!',
};
