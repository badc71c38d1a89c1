import type { FaultTable } from './table.ts';

export const tagFaults = {
  'tag.missing': {
    http: 404,
    code: 404,
    'zh-CN': '挂牌不存在',
    'en-US': 'Lock-out tag does not exist',
    'ru-RU': 'Плакат не существует',
  },
  'tag.on': {
    http: 422,
    code: 422,
    'zh-CN': '请选择线路、设备或项目之一',
    'en-US': 'Choose a line, a device or a project',
    'ru-RU': 'Выберите линию, устройство или объект',
  },
  'tag.reason': {
    http: 422,
    code: 422,
    'zh-CN': '请输入原因（不超过 300 个字符）',
    'en-US': 'Enter the reason (300 characters at most)',
    'ru-RU': 'Укажите причину (не более 300 символов)',
  },
  'tag.photo': {
    http: 422,
    code: 422,
    'zh-CN': '照片不存在',
    'en-US': 'There is no such photo',
    'ru-RU': 'Такого фото нет',
  },
  'tag.review': {
    http: 422,
    code: 422,
    'zh-CN': '复核时间必须在将来',
    'en-US': 'The review must lie in the future',
    'ru-RU': 'Время проверки должно быть в будущем',
  },
  'tag.notYours': {
    http: 403,
    code: 403,
    'zh-CN': '只有挂牌人或管理员可以摘牌',
    'en-US': 'Only its owner or an administrator may remove a lock-out tag',
    'ru-RU': 'Снять плакат может только владелец или администратор',
  },
  'tag.password': {
    http: 409,
    code: 409,
    'zh-CN': '摘除他人的挂牌需要输入密码和原因',
    'en-US': 'Removing another user’s tag needs your password and a reason',
    'ru-RU': 'Чтобы снять чужой плакат, введите пароль и причину',
  },
} as const satisfies FaultTable;
