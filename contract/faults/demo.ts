import type { FaultTable } from './table.ts';

export const demoFaults = {
  'demo.away': {
    http: 503,
    code: 503,
    'zh-CN': '演示模拟器未运行',
    'en-US': 'The demo simulation is not running',
    'ru-RU': 'Демонстрационная имитация не запущена',
  },
  'demo.unfit': {
    http: 422,
    code: 422,
    'zh-CN': '该设备无法演示此场景',
    'en-US': 'This device cannot play this scene',
    'ru-RU': 'Это устройство не может показать такой сценарий',
  },
} as const satisfies FaultTable;
