import type { Language } from './languages.ts';

type Words = readonly [chinese: string, english: string, russian: string];
const place: Readonly<Record<Language, 0 | 1 | 2>> = { 'zh-CN': 0, 'en-US': 1, 'ru-RU': 2 };

/** What an operation concerned: the first part of its key identifier. */
export const operationSubjects: Readonly<Record<string, Words>> = {
  alarm: ['报警', 'Alarm', 'Сигнал'],
  alarmType: ['报警类型', 'Alarm type', 'Тип сигнала'],
  category: ['类别', 'Category', 'Категория'],
  content: ['内容', 'Content', 'Материал'],
  control: ['远程控制', 'Remote control', 'Дистанционное управление'],
  dashboard: ['总览', 'Overview', 'Обзор'],
  database: ['数据库', 'Database', 'База данных'],
  demo: ['演示', 'Demo', 'Демонстрация'],
  device: ['设备', 'Device', 'Устройство'],
  energy: ['电能', 'Energy', 'Энергия'],
  evidence: ['证据包', 'Evidence pack', 'Пакет доказательств'],
  feedback: ['反馈', 'Feedback', 'Обратная связь'],
  firmware: ['固件', 'Firmware', 'Прошивка'],
  line: ['线路', 'Line', 'Линия'],
  maintenance: ['维保记录', 'Maintenance record', 'Запись обслуживания'],
  message: ['消息', 'Message', 'Сообщение'],
  notice: ['通知规则', 'Notification rule', 'Правило уведомлений'],
  part: ['区域', 'Part', 'Участок'],
  person: ['人员', 'Person', 'Сотрудник'],
  project: ['项目', 'Project', 'Объект'],
  push: ['推送', 'Push notifications', 'Push-уведомления'],
  role: ['角色', 'Role', 'Роль'],
  scheduled: ['计划任务', 'Scheduled work', 'Плановая работа'],
  session: ['会话', 'Session', 'Сеанс'],
  setting: ['设备参数', 'Device settings', 'Параметры устройства'],
  settings: ['系统设置', 'System settings', 'Настройки системы'],
  statistics: ['统计', 'Statistics', 'Статистика'],
  tag: ['挂牌', 'Lock-out tag', 'Плакат'],
  tariff: ['电价', 'Tariff', 'Тариф'],
  timer: ['定时', 'Timer', 'Таймер'],
  upload: ['文件', 'File', 'Файл'],
  user: ['用户', 'User', 'Пользователь'],
  version: ['版本', 'Version', 'Версия'],
};

/** What was done: the second part of the key identifier. */
export const operationActs: Readonly<Record<string, Words>> = {
  add: ['新增', 'added', 'добавление'],
  batchHandle: ['批量处理', 'handled in a batch', 'групповая обработка'],
  bind: ['绑定', 'bound', 'привязка'],
  cancelJob: ['取消任务', 'job cancelled', 'отмена задания'],
  change: ['修改', 'changed', 'изменение'],
  command: ['下发命令', 'command', 'команда'],
  deletePart: ['删除区域', 'part deleted', 'удаление участка'],
  editPart: ['修改区域', 'part changed', 'изменение участка'],
  endSession: ['结束会话', 'session ended', 'завершение сеанса'],
  resetPassword: ['重置密码', 'password reset', 'сброс пароля'],
  confirm: ['确认身份', 'identity confirmed', 'подтверждение личности'],
  contacts: ['修改联系人', 'contacts changed', 'изменение контактов'],
  custom: ['自定义参数', 'custom object', 'пользовательские параметры'],
  defaults: ['恢复默认', 'defaults restored', 'возврат значений по умолчанию'],
  delete: ['删除', 'deleted', 'удаление'],
  edit: ['修改', 'changed', 'изменение'],
  enable: ['功能投退', 'function enabled or disabled', 'ввод или вывод функции'],
  endOther: ['结束其他会话', 'other session ended', 'завершение другого сеанса'],
  expiry: ['修改到期时间', 'service date changed', 'изменение срока обслуживания'],
  fire: ['定时执行', 'ran', 'срабатывание'],
  first: ['首次参数', 'first values set', 'первичная запись'],
  fleet: ['演示设备', 'simulated devices', 'имитируемые устройства'],
  handle: ['处理', 'handled', 'обработка'],
  iccid: ['修改 ICCID', 'ICCID changed', 'смена ICCID'],
  image: ['更换图片', 'image changed', 'смена изображения'],
  import: ['批量导入', 'imported', 'импорт'],
  limiter: ['限制阈值', 'limiter set', 'настройка ограничителя'],
  linkSignIn: ['链接登录', 'signed in by link', 'вход по ссылке'],
  addPart: ['新增区域', 'part added', 'добавление участка'],
  autoSignIn: ['自动登录', 'automatic sign-in', 'автоматический вход'],
  netControl: ['远程控制投退', 'enabled or disabled', 'разрешение или запрет'],
  oneKey: ['一键操作', 'group command', 'групповая команда'],
  oneKeyLine: ['一键操作的线路', 'line of a group command', 'линия групповой команды'],
  password: ['修改密码', 'password changed', 'смена пароля'],
  phone: ['确认手机号', 'phone confirmed', 'подтверждение телефона'],
  play: ['播放场景', 'scene started', 'запуск сценария'],
  popup: ['弹窗设置', 'pop-up settings', 'настройки всплывающих окон'],
  preferences: ['偏好设置', 'preferences', 'личные настройки'],
  profile: ['修改资料', 'profile changed', 'изменение профиля'],
  read: ['标记已读', 'marked as read', 'отметка о прочтении'],
  remove: ['移除', 'removed', 'снятие'],
  reply: ['回复', 'answered', 'ответ'],
  resetSecret: ['重置密钥', 'secret reset', 'новый секрет'],
  review: ['复核', 'reviewed', 'проверка'],
  run: ['立即执行', 'run now', 'запуск'],
  save: ['保存', 'saved', 'сохранение'],
  service: ['服务器地址', 'server and upload', 'сервер и передача'],
  set: ['设置', 'set', 'установка'],
  setDefaults: ['修改默认阈值', 'default limits changed', 'изменение уставок по умолчанию'],
  setStatus: ['启用或停用', 'enabled or disabled', 'ввод или вывод'],
  settings: ['设置', 'settings', 'настройки'],
  shelve: ['搁置', 'shelved', 'отложен'],
  signIn: ['登录', 'signed in', 'вход'],
  signOut: ['退出', 'signed out', 'выход'],
  status: ['启用或停用', 'enabled or disabled', 'включение или отключение'],
  stop: ['停止', 'stopped', 'остановка'],
  subscribe: ['开启', 'turned on', 'включение'],
  test: ['测试', 'tested', 'проверка'],
  time: ['自动校时', 'clock set', 'установка часов'],
  unbind: ['解绑', 'unbound', 'отвязка'],
  unshelve: ['取消搁置', 'unshelved', 'возврат'],
  unsubscribe: ['关闭', 'turned off', 'выключение'],
  urge: ['催办', 'reminder sent', 'напоминание'],
  wechat: ['微信绑定', 'WeChat', 'WeChat'],
};

/** What a key identifier means to a reader; one of another version is shown as it is. */
export const operationText = (key: string, language: Language): string => {
  const [subject, act] = key.split('.');
  const [of, done] = [
    operationSubjects[subject ?? '']?.[place[language]],
    operationActs[act ?? '']?.[place[language]],
  ];
  if (of === undefined || done === undefined) return key;
  return language === 'zh-CN' ? `${of}：${done}` : `${of}: ${done}`;
};

const words = (chinese: string, english: string, russian: string): Readonly<Record<Language, string>> => ({
  'zh-CN': chinese,
  'en-US': english,
  'ru-RU': russian,
});
/** Header cells of the exported operation log. */
export const operationColumns = {
  id: words('序号', 'No.', '№'),
  time: words('时间', 'Time', 'Время'),
  operator: words('操作人', 'Operator', 'Оператор'),
  description: words('操作描述', 'Description', 'Описание'),
  key: words('关键标识', 'Key identifier', 'Идентификатор'),
  outcome: words('结果', 'Outcome', 'Результат'),
  code: words('代码', 'Code', 'Код'),
  project_name: words('所属项目', 'Project', 'Объект'),
  device_number: words('设备编号', 'Device number', 'Номер устройства'),
  channel: words('登录渠道', 'Channel', 'Канал входа'),
  client_ip: words('客户端 IP', 'Client IP', 'IP-адрес клиента'),
  parameters: words('参数', 'Parameters', 'Параметры'),
  request_id: words('请求编号', 'Request id', 'Номер запроса'),
  hash: words('校验值', 'Hash', 'Хеш'),
} as const;
export const operationSheetName = words('操作日志', 'Operation log', 'Журнал операций');
export const operationOutcomes = {
  done: words('成功', 'done', 'выполнено'),
  refused: words('拒绝', 'refused', 'отказано'),
} as const;
