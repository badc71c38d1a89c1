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
} as const satisfies FaultTable;
