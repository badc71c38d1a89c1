import type { FaultTable } from './table.ts';

export const alarmFaults = {
  'alarm.missing': {
    http: 404,
    code: 404,
    'zh-CN': '报警不存在',
    'en-US': 'There is no such alarm',
    'ru-RU': 'Такого сигнала нет',
  },
  'alarm.content': {
    http: 422,
    code: 422,
    'zh-CN': '处理内容须为 2 至 500 个字符',
    'en-US': 'Describe what was done in 2 to 500 characters',
    'ru-RU': 'Опишите обработку: от 2 до 500 символов',
  },
  'alarm.shelvingReason': {
    http: 422,
    code: 422,
    'zh-CN': '请用 2 至 200 个字说明搁置原因',
    'en-US': 'Enter a reason of 2 to 200 characters for shelving',
    'ru-RU': 'Укажите причину (от 2 до 200 знаков), почему сигнал отложен',
  },
  'alarm.selection': {
    http: 422,
    code: 422,
    'zh-CN': '请先选择报警',
    'en-US': 'Select alarms first',
    'ru-RU': 'Сначала выберите сигналы',
  },
  'alarm.tooMany': {
    http: 409,
    code: 409,
    'zh-CN': '符合条件的报警共 {count} 条，一次最多处理 {limit} 条，请缩小筛选范围',
    'en-US': '{count} alarms match; at most {limit} at a time: narrow the filter',
    'ru-RU': 'Найдено сигналов: {count}; за один раз не более {limit}: уточните фильтр',
  },
  'alarm.changed': {
    http: 409,
    code: 409,
    'zh-CN': '筛选结果已变化：现有 {count} 条，确认时为 {expected} 条，请重新确认',
    'en-US': 'The list has changed: {count} match now, {expected} when you confirmed. Please confirm again',
    'ru-RU': 'Список изменился: сейчас {count}, при подтверждении было {expected}. Подтвердите ещё раз',
  },
  'alarm.replayHeavy': {
    http: 422,
    code: 422,
    'zh-CN': '这些线路的数据过多，无法在限定时间内重新计算，请减少线路或缩短天数',
    'en-US': 'Evaluating the readings of these lines takes too long: choose fewer lines or days',
    'ru-RU': 'Пересчёт показаний этих линий занимает слишком много времени: выберите меньше линий или дней',
  },
  'alarmType.missing': {
    http: 404,
    code: 404,
    'zh-CN': '报警类型不存在',
    'en-US': 'There is no such alarm type',
    'ru-RU': 'Такого типа сигнала нет',
  },
} as const satisfies FaultTable;
