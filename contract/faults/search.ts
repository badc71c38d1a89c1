import type { FaultTable } from './table.ts';

export const searchFaults = {
  'search.short': {
    http: 422,
    code: 422,
    'zh-CN': '请至少输入 2 个字符或 1 个汉字',
    'en-US': 'Enter at least 2 characters, or one Chinese character',
    'ru-RU': 'Введите не менее 2 символов или один иероглиф',
  },
} as const satisfies FaultTable;
