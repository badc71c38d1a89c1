import type { CallOutcome } from './endpoint.ts';
import type { Language } from './languages.ts';

/** Sentences for the outcome of a call. */
export const outcomeSentences: Record<CallOutcome, Record<Language, string>> = {
  done: {
    'zh-CN': '操作成功！',
    'en-US': 'Operation successful!',
    'ru-RU': 'Операция выполнена!',
  },
  takingEffect: {
    'zh-CN': '已提交，正在生效',
    'en-US': 'Submitted and taking effect',
    'ru-RU': 'Отправлено, вступает в силу',
  },
  nothing: {
    'zh-CN': '没有可执行的操作',
    'en-US': 'Nothing to do',
    'ru-RU': 'Нет действий для выполнения',
  },
};
