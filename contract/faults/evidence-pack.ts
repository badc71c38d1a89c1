import type { FaultTable } from './table.ts';

export const evidencePackFaults = {
  'evidence.tooMuch': {
    http: 422,
    code: 422,
    'zh-CN': '一个证据包装不下这么多数据，请缩短时间范围',
    'en-US': 'One evidence pack cannot hold that much: choose a shorter time',
    'ru-RU': 'Столько данных не помещается в один пакет доказательств: выберите меньший интервал',
  },
} as const satisfies FaultTable;
