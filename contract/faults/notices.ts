import type { FaultTable } from './table.ts';

export const noticeFaults = {
  'notice.missing': {
    http: 404,
    code: 404,
    'zh-CN': '通知规则不存在',
    'en-US': 'There is no such notice setting',
    'ru-RU': 'Такой настройки уведомлений нет',
  },
  'notice.projects': {
    http: 422,
    code: 422,
    'zh-CN': '请选择您管辖范围内的项目',
    'en-US': 'Choose projects within your scope',
    'ru-RU': 'Выберите объекты в вашей зоне доступа',
  },
  'notice.recipients': {
    http: 422,
    code: 422,
    'zh-CN': '请选择接收人',
    'en-US': 'Choose the recipients',
    'ru-RU': 'Выберите получателей',
  },
  'notice.unknownUser': {
    http: 422,
    code: 422,
    'zh-CN': '接收人不存在或不在您的管辖范围内',
    'en-US': 'A recipient does not exist or is outside your scope',
    'ru-RU': 'Получатель не существует или вне вашей зоны доступа',
  },
  'notice.codes': {
    http: 422,
    code: 422,
    'zh-CN': '报警类型不存在',
    'en-US': 'There is no such alarm type',
    'ru-RU': 'Такого типа сигнала нет',
  },
  'notice.window': {
    http: 422,
    code: 422,
    'zh-CN': '请同时填写开始和结束时间，且两者不同',
    'en-US': 'Give both ends of the time window, and not the same time twice',
    'ru-RU': 'Укажите начало и конец интервала; они не должны совпадать',
  },
  'notice.webhook': {
    http: 422,
    code: 422,
    'zh-CN': 'Webhook 地址须为 http 或 https 网址',
    'en-US': 'The webhook needs an http or https address',
    'ru-RU': 'Для webhook нужен адрес http или https',
  },
  'push.endpoint': {
    http: 422,
    code: 422,
    'zh-CN': '推送地址无效',
    'en-US': 'This is not a push address',
    'ru-RU': 'Недопустимый адрес push-уведомлений',
  },
  'push.keys': {
    http: 422,
    code: 422,
    'zh-CN': '推送密钥无效',
    'en-US': 'The push keys are not valid',
    'ru-RU': 'Недопустимые ключи push-уведомлений',
  },
  'notice.wechatFields': {
    http: 422,
    code: 422,
    'zh-CN': '模板须包含报警（或级别）和位置（或线路）字段，且每个字段名只用一次',
    'en-US':
      'The template needs a field for the alarm (or its level) and one for the place (or the line), each key once',
    'ru-RU': 'В шаблоне нужны поле сигнала (или уровня) и поле места (или линии); каждый ключ — один раз',
  },
  'message.missing': {
    http: 404,
    code: 404,
    'zh-CN': '消息不存在',
    'en-US': 'There is no such message',
    'ru-RU': 'Такого сообщения нет',
  },
} as const satisfies FaultTable;
