import type { ProblemCode } from './health.ts';
import type { Language } from './languages.ts';
import { isJob, jobWords } from './scheduled-words.ts';

/** The name of a problem, and what to do about it. */
export const problemWords: Readonly<
  Record<ProblemCode, Readonly<Record<Language, readonly [name: string, advice: string]>>>
> = {
  nodeGone: {
    'zh-CN': ['节点无响应', '查看该节点的进程和日志；如已停用，一天后自动移出列表'],
    'en-US': [
      'A node has stopped reporting',
      'Look at its process and log; a node that was retired leaves the list after a day',
    ],
    'ru-RU': [
      'Узел не отвечает',
      'Проверьте процесс и журнал узла; выведенный из работы узел исчезнет из списка через сутки',
    ],
  },
  linkDown: {
    'zh-CN': ['设备接入中断', '设备暂时无法上报和受控，请检查 MQTT 服务'],
    'en-US': [
      'Devices cannot be reached',
      'Devices can neither report nor be controlled; check the MQTT broker',
    ],
    'ru-RU': [
      'Нет связи с устройствами',
      'Устройства не передают данные и не управляются; проверьте брокер MQTT',
    ],
  },
  ingestSlow: {
    'zh-CN': ['数据接收变慢', '读数确认超过 5 秒，请检查数据库和磁盘'],
    'en-US': [
      'Readings are stored slowly',
      'Readings are acknowledged after more than 5 s; check the database and its disk',
    ],
    'ru-RU': ['Приём данных замедлился', 'Показания подтверждаются дольше 5 с; проверьте базу данных и диск'],
  },
  databaseSlow: {
    'zh-CN': ['数据库响应慢', '最简单的查询超过 1 秒，请检查数据库负载'],
    'en-US': [
      'The database answers slowly',
      'The shortest query takes more than 1 s; check the load of the database',
    ],
    'ru-RU': [
      'База данных отвечает медленно',
      'Простейший запрос длится больше 1 с; проверьте нагрузку на базу данных',
    ],
  },
  connectionsScarce: {
    'zh-CN': ['数据库连接将用尽', '已使用 90% 以上，请提高 max_connections 或减少节点'],
    'en-US': [
      'Database connections are running out',
      'More than 90% are in use; raise max_connections or run fewer nodes',
    ],
    'ru-RU': [
      'Заканчиваются подключения к базе данных',
      'Занято больше 90 %; увеличьте max_connections или уменьшите число узлов',
    ],
  },
  diskLow: {
    'zh-CN': ['磁盘空间不足', '请清理磁盘、扩容或缩短保存期限；磁盘写满后数据将无法保存'],
    'en-US': [
      'The disk is almost full',
      'Free some space, enlarge the disk or shorten the retention: a full disk takes in no data',
    ],
    'ru-RU': [
      'Заканчивается место на диске',
      'Освободите или добавьте место либо сократите срок хранения: на полный диск данные не пишутся',
    ],
  },
  rollupsBehind: {
    'zh-CN': ['统计汇总滞后', '统计数据已滞后 15 分钟以上，请查看计划任务'],
    'en-US': ['Statistics are behind', 'They are more than 15 minutes old; see the scheduled jobs'],
    'ru-RU': ['Статистика отстаёт', 'Отставание больше 15 минут; посмотрите плановые задания'],
  },
  jobFailing: {
    'zh-CN': ['计划任务连续失败', '请在计划任务中查看原因'],
    'en-US': ['A scheduled job keeps failing', 'See its error among the scheduled jobs'],
    'ru-RU': ['Плановое задание не выполняется', 'Причина указана в списке плановых заданий'],
  },
  noticesStuck: {
    'zh-CN': ['通知积压', '有通知超过 10 分钟未发出，请检查外网和通知渠道'],
    'en-US': [
      'Notifications are stuck',
      'Some have been due for more than 10 minutes; check the network and the channels',
    ],
    'ru-RU': ['Уведомления не уходят', 'Отправка задержана больше чем на 10 минут; проверьте сеть и каналы'],
  },
  backupOld: {
    'zh-CN': ['没有最新备份', '最近两天没有成功的备份，请查看计划任务'],
    'en-US': ['There is no recent backup', 'No backup has succeeded for two days; see the scheduled jobs'],
    'ru-RU': ['Нет свежей резервной копии', 'Двое суток нет успешной копии; посмотрите плановые задания'],
  },
  drillOld: {
    'zh-CN': ['备份未经验证', '备份已超过计划时间未做恢复演练'],
    'en-US': ['No recent restore drill', 'The restore drill is overdue'],
    'ru-RU': ['Резервная копия не проверена', 'Проверка восстановления просрочена'],
  },
};

/** The node or job of a problem, in words. */
export const problemSubject = (language: Language, subject: string): string =>
  isJob(subject) ? jobWords[subject][language][0] : subject;
