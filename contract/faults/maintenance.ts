import type { FaultTable } from './table.ts';

const field = <Words extends { 'zh-CN': string; 'en-US': string; 'ru-RU': string }>(words: Words) => ({
  http: 422,
  code: 422,
  ...words,
});

export const maintenanceFaults = {
  'maintenance.content': field({
    'zh-CN': '请填写维护内容（不超过 2000 个字符）',
    'en-US': 'Describe what was done (2000 characters at most)',
    'ru-RU': 'Опишите выполненные работы (не более 2000 символов)',
  }),
  'maintenance.future': field({
    'zh-CN': '维护时间不能晚于当前时间',
    'en-US': 'The maintenance time lies in the future',
    'ru-RU': 'Время обслуживания ещё не наступило',
  }),
  'maintenance.images': field({
    'zh-CN': '维护前、维护后各最多 6 张图片',
    'en-US': 'Six images before and six after at most',
    'ru-RU': 'Не более шести изображений до и шести после',
  }),
  'maintenance.device': field({
    'zh-CN': '该项目中没有此设备',
    'en-US': 'The project has no such device',
    'ru-RU': 'На объекте нет такого устройства',
  }),
  'maintenance.deviceOfPart': field({
    'zh-CN': '您只管理项目的部分区域，请选择其中的设备',
    'en-US': 'You manage only parts of this project: choose a device in one of them',
    'ru-RU': 'Вы управляете только отдельными участками объекта: выберите устройство на одном из них',
  }),
  'maintenance.lines': field({
    'zh-CN': '线路不属于所选设备',
    'en-US': 'A line does not belong to the chosen device',
    'ru-RU': 'Линия не относится к выбранному устройству',
  }),
  'maintenance.alarms': field({
    'zh-CN': '报警不属于该项目',
    'en-US': 'An alarm does not belong to the project',
    'ru-RU': 'Сигнал не относится к объекту',
  }),
  'maintenance.missing': {
    http: 404,
    code: 404,
    'zh-CN': '维护记录不存在',
    'en-US': 'There is no such maintenance record',
    'ru-RU': 'Такой записи обслуживания нет',
  },
} as const satisfies FaultTable;
