import type { FaultTable } from './table.ts';

export const searchFaults = {
  'search.short': {
    http: 422,
    code: 422,
    'zh-CN': '请至少输入 2 个字符',
    'en-US': 'Enter at least 2 characters',
    'ru-RU': 'Введите не менее 2 символов',
  },
} as const satisfies FaultTable;
