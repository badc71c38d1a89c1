import type { FaultTable } from './table.ts';

export const dashboardFaults = {
  'dashboard.panels': {
    http: 422,
    code: 422,
    'zh-CN': '请至少选择一个面板，每个面板只能选择一次',
    'en-US': 'Choose at least one panel, and each only once',
    'ru-RU': 'Выберите хотя бы одну панель, каждую не более одного раза',
  },
  'dashboard.cycle': {
    http: 422,
    code: 422,
    'zh-CN': '轮播间隔为 10 至 600 秒，0 表示不轮播',
    'en-US': 'Pages change every 10 to 600 s; 0 keeps the page',
    'ru-RU': 'Страницы сменяются через 10–600 с; 0 — без смены',
  },
} satisfies FaultTable;
