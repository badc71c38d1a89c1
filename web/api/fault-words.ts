import type { Language } from '#contract/languages.ts';

/** The console's own sentences for calls without an answer of the server. */
export const localSentences: Record<
  'network' | 'timeout' | 'unreadable' | 'missing' | 'restoring' | 'overdue',
  Record<Language, string>
> = {
  network: {
    'zh-CN': '无法连接服务器，请检查网络后重试',
    'en-US': 'The server cannot be reached. Check the network and try again.',
    'ru-RU': 'Сервер недоступен. Проверьте сеть и повторите.',
  },
  timeout: {
    'zh-CN': '服务器未及时响应，无法确定是否已执行。重试前请先核实。',
    'en-US':
      'The server did not answer in time. It may have been done all the same: check before you repeat it.',
    'ru-RU': 'Сервер не ответил вовремя. Действие могло быть выполнено: проверьте, прежде чем повторять.',
  },
  missing: {
    'zh-CN': '控制台的部分文件未能加载，请重新加载页面',
    'en-US': 'A part of the console could not be loaded. Reload the page.',
    'ru-RU': 'Часть консоли не удалось загрузить. Обновите страницу.',
  },
  restoring: {
    'zh-CN': '正在从备份恢复数据，请在恢复完成后重试',
    'en-US': 'Data is being restored from a backup. Try again when that is done.',
    'ru-RU': 'Данные восстанавливаются из резервной копии. Повторите, когда восстановление завершится.',
  },
  overdue: {
    'zh-CN': '服务器尚未响应。',
    'en-US': 'The server has not answered yet.',
    'ru-RU': 'Сервер ещё не ответил.',
  },
  unreadable: {
    'zh-CN': '服务器的响应无法读取，请稍后重试',
    'en-US': 'The answer of the server could not be read. Try again later.',
    'ru-RU': 'Ответ сервера не удалось прочитать. Повторите позже.',
  },
};
