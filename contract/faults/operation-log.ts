import type { FaultTable } from './table.ts';

/** Ways in which the chain of the operation log can be broken. */
export const operationLogFaults = {
  'operationLog.changed': {
    http: 409,
    code: 409,
    'zh-CN': '第 {id} 行({at})的内容被改动过',
    'en-US': 'Row {id} ({at}) is not as it was written',
    'ru-RU': 'Строка {id} ({at}) изменена после записи',
  },
  'operationLog.missing': {
    http: 409,
    code: 409,
    'zh-CN': '第 {id} 行({at})之前有记录缺失或被替换',
    'en-US': 'Rows before row {id} ({at}) are missing or were replaced',
    'ru-RU': 'Перед строкой {id} ({at}) записи удалены или подменены',
  },
  'operationLog.end': {
    http: 409,
    code: 409,
    'zh-CN': '从第 {id} 行起，最新的记录缺失',
    'en-US': 'The newest rows, from row {id} on, are missing',
    'ru-RU': 'Последние записи, начиная со строки {id}, удалены',
  },
  'operationLog.added': {
    http: 409,
    code: 409,
    'zh-CN': '第 {id} 行({at})不是系统写入的记录',
    'en-US': 'Row {id} ({at}) was not written by the product',
    'ru-RU': 'Строка {id} ({at}) добавлена в обход журнала',
  },
} as const satisfies FaultTable;
