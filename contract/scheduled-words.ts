import type { Language } from './languages.ts';
import type { ScheduledJobName } from './scheduled.ts';

type Words = Readonly<Record<Language, readonly [name: string, does: string]>>;

/** Name and purpose of a job. */
export const jobWords: Readonly<Record<ScheduledJobName, Words>> = {
  rollups: {
    'zh-CN': ['统计汇总', '把新读数汇总为分钟、小时和天'],
    'en-US': ['Statistics', 'Turns new readings into minutes, hours and days'],
    'ru-RU': ['Статистика', 'Сводит новые показания по минутам, часам и суткам'],
  },
  backlogs: {
    'zh-CN': ['补传数据', '补记设备离线期间发生的情况'],
    'en-US': ['Late data', 'Records what happened while devices were offline'],
    'ru-RU': ['Данные с опозданием', 'Заносит то, что произошло, пока устройства были не на связи'],
  },
  partitions: {
    'zh-CN': ['数据分区', '提前建立分区，删除超过保存期限的读数，压缩旧索引'],
    'en-US': [
      'Partitions',
      'Makes partitions ahead, drops readings beyond their retention, packs old indexes',
    ],
    'ru-RU': [
      'Секции таблиц',
      'Готовит секции заранее, удаляет показания с истёкшим сроком хранения, уплотняет старые индексы',
    ],
  },
  ledgerUpkeep: {
    'zh-CN': ['清理通知与消息', '删除超过保存期限的通知记录、消息和报警发生记录'],
    'en-US': [
      'Old notifications',
      'Deletes deliveries, messages and alarm occurrences beyond their retention',
    ],
    'ru-RU': [
      'Старые уведомления',
      'Удаляет отправки, сообщения и записи о срабатываниях с истёкшим сроком хранения',
    ],
  },
  sessionUpkeep: {
    'zh-CN': ['清理会话', '删除已结束的会话、验证码和登录尝试'],
    'en-US': ['Old sessions', 'Deletes ended sessions, used codes and sign-in attempts'],
    'ru-RU': ['Старые сеансы', 'Удаляет завершённые сеансы, коды и попытки входа'],
  },
  settingUpkeep: {
    'zh-CN': ['清理参数记录', '删除超过保存期限的设备参数变更与任务'],
    'en-US': ['Old setting changes', 'Deletes changes of device settings and jobs beyond their retention'],
    'ru-RU': [
      'Старые изменения параметров',
      'Удаляет изменения параметров устройств и задания с истёкшим сроком',
    ],
  },
  searchNames: {
    'zh-CN': ['搜索名称', '为新的中文名称生成拼音和首字母，供搜索使用'],
    'en-US': ['Names for search', 'Adds new Chinese names with their pinyin and initials to the search'],
    'ru-RU': ['Названия для поиска', 'Добавляет в поиск новые китайские названия с пиньинем и инициалами'],
  },
  alarmDays: {
    'zh-CN': ['报警统计数据', '按天汇总以往的报警，供报警统计使用'],
    'en-US': ['Alarm statistics', 'Packs the alarms of past days for the statistics'],
    'ru-RU': ['Статистика сигналов', 'Сводит сигналы прошлых дней для статистики'],
  },
  unusedImages: {
    'zh-CN': ['未使用的图片', '删除一周内未被任何记录使用的图片'],
    'en-US': ['Unused images', 'Deletes images that no record has used for a week'],
    'ru-RU': ['Неиспользуемые изображения', 'Удаляет изображения, которые неделю нигде не используются'],
  },
  backup: {
    'zh-CN': ['备份', '备份数据库，并删除过期的备份'],
    'en-US': ['Backup', 'Backs the database up and deletes outdated backups'],
    'ru-RU': ['Резервное копирование', 'Создаёт резервную копию базы данных и удаляет устаревшие'],
  },
  restoreDrill: {
    'zh-CN': ['恢复演练', '把最新备份恢复到临时数据库并核对行数'],
    'en-US': ['Restore drill', 'Restores the newest backup into a scratch database and counts its rows'],
    'ru-RU': [
      'Проверка восстановления',
      'Восстанавливает последнюю копию во временную базу данных и сверяет число строк',
    ],
  },
  nominalVoltages: {
    'zh-CN': ['额定电压', '从读数中学习各线路的额定电压'],
    'en-US': ['Nominal voltages', 'Learns the nominal voltage of each line from its readings'],
    'ru-RU': ['Номинальные напряжения', 'Определяет номинальное напряжение линий по показаниям'],
  },
  healthWatch: {
    'zh-CN': ['系统自检', '检查系统状态，异常持续时通知管理员'],
    'en-US': ['Health check', 'Checks the product and notifies administrators of problems that last'],
    'ru-RU': [
      'Самоконтроль',
      'Проверяет состояние системы и сообщает администраторам о затянувшихся неполадках',
    ],
  },
  trends: {
    'zh-CN': ['趋势预警', '根据数周的数据查找缓慢恶化的线路，发出或结束趋势预警'],
    'en-US': [
      'Trend warnings',
      'Looks for lines that get worse over weeks and raises or ends their early warnings',
    ],
    'ru-RU': [
      'Предупреждения по трендам',
      'Ищет линии, состояние которых ухудшается неделями, подаёт и снимает предупредительные сигналы',
    ],
  },
  timers: {
    'zh-CN': ['定时', '执行到期的定时分合闸'],
    'en-US': ['Timers', 'Switches lines when their timers are due'],
    'ru-RU': ['Таймеры', 'Отключает и включает линии по таймерам'],
  },
  notices: {
    'zh-CN': ['通知', '发送报警通知，失败后重试'],
    'en-US': ['Notifications', 'Sends alarm notifications and repeats those that failed'],
    'ru-RU': ['Уведомления', 'Отправляет уведомления о сигналах и повторяет неудачные отправки'],
  },
  firmware: {
    'zh-CN': ['固件升级', '按批次推送固件升级'],
    'en-US': ['Firmware rollouts', 'Asks devices to update, wave by wave'],
    'ru-RU': ['Развёртывание прошивок', 'Обновляет устройства волна за волной'],
  },
};
export const isJob = (name: string): name is ScheduledJobName => Object.hasOwn(jobWords, name);
