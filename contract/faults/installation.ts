import type { FaultTable } from './table.ts';

/** Faults of the installation's own settings. */
export const installationFaults = {
  'settings.range': {
    http: 422,
    code: 422,
    'zh-CN': '请输入 {min} 到 {max} 之间的整数',
    'en-US': 'Enter a whole number from {min} to {max}',
    'ru-RU': 'Введите целое число от {min} до {max}',
  },
  'settings.kind': {
    http: 422,
    code: 422,
    'zh-CN': '该设置不接受此值',
    'en-US': 'This setting does not take that value',
    'ru-RU': 'Этот параметр не принимает такое значение',
  },
  'settings.tiles': {
    http: 422,
    code: 422,
    'zh-CN': '请输入不超过 {max} 个字符的 https 地址，例如 {example}',
    'en-US': 'Enter an https address such as {example}, {max} characters at most',
    'ru-RU': 'Введите адрес https не длиннее {max} символов, например {example}',
  },
  'settings.byVariable': {
    http: 409,
    code: 409,
    'zh-CN': '该设置由服务器变量 {variable} 决定',
    'en-US': 'The server’s variable {variable} decides this setting',
    'ru-RU': 'Этот параметр задан переменной сервера {variable}',
  },
} as const satisfies FaultTable;
