import type { FaultTable } from './table.ts';

export const scheduledFaults = {
  'scheduled.missing': {
    http: 404,
    code: 404,
    'zh-CN': '该任务尚未在任何节点上登记',
    'en-US': 'No node has registered this job yet',
    'ru-RU': 'Ни один узел ещё не зарегистрировал это задание',
  },
  'scheduled.running': {
    http: 409,
    code: 409,
    'zh-CN': '该任务正在运行',
    'en-US': 'This job is already running',
    'ru-RU': 'Это задание уже выполняется',
  },
} as const satisfies FaultTable;
