import type { FaultTable } from './table.ts';

export const deviceFaults = {
  'device.number': {
    http: 422,
    code: 422,
    'zh-CN': '设备编号为 6 至 32 位字母、数字、_ 或 -',
    'en-US': 'A device number has 6 to 32 letters, digits, _ or -',
    'ru-RU': 'Номер устройства: от 6 до 32 букв, цифр, _ или -',
  },
  'device.name': {
    http: 422,
    code: 422,
    'zh-CN': '请输入设备名称(不超过 60 个字符)',
    'en-US': 'Enter the device name (60 characters at most)',
    'ru-RU': 'Введите название устройства (не более 60 символов)',
  },
  'device.taken': {
    http: 409,
    code: 409,
    'zh-CN': '该设备编号已存在',
    'en-US': 'This device number exists already',
    'ru-RU': 'Устройство с таким номером уже есть',
  },
  'device.missing': {
    http: 404,
    code: 404,
    'zh-CN': '设备不存在',
    'en-US': 'Device does not exist',
    'ru-RU': 'Устройство не существует',
  },
  'line.missing': {
    http: 404,
    code: 404,
    'zh-CN': '线路不存在',
    'en-US': 'Line does not exist',
    'ru-RU': 'Линия не существует',
  },
  'range.order': {
    http: 422,
    code: 422,
    'zh-CN': '开始时间必须早于结束时间',
    'en-US': 'The range must begin before it ends',
    'ru-RU': 'Начало интервала должно быть раньше конца',
  },
} as const satisfies FaultTable;
