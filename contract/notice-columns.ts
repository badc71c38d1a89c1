import { alarmName, levelNames } from './alarm-names.ts';
import { words } from './languages.ts';
import type { NoticeRow } from './notices.ts';
import type { TableSheet } from './sheet.ts';

const channels = {
  app: words('应用推送', 'App', 'Приложение'),
  wechat: words('微信', 'WeChat', 'WeChat'),
  webhook: words('Webhook', 'Webhook', 'Webhook'),
};
const states = {
  enabled: words('启用', 'enabled', 'действует'),
  disabled: words('停用', 'disabled', 'выключено'),
};
const contacts = words('联系人', 'contacts', 'контакты');
const everything = {
  levels: words('全部级别', 'both', 'оба'),
  types: words('全部类型', 'all types', 'все типы'),
  projects: words('全部项目', 'all projects', 'все объекты'),
  hours: words('全天', 'always', 'всегда'),
};

export const noticeSheet: TableSheet<NoticeRow> = {
  name: words('通知规则', 'Notification rules', 'Правила уведомлений'),
  columns: [
    { header: words('名称', 'Name', 'Название'), cell: ({ name }) => name },
    {
      header: words('状态', 'Status', 'Состояние'),
      cell: ({ status }, language) => states[status][language],
    },
    {
      header: words('方式', 'Channel', 'Канал'),
      cell: ({ channel }, language) => channels[channel][language],
    },
    {
      header: words('接收人', 'Recipients', 'Кому'),
      cell: ({ channel, webhook_url, to_contacts, users }, language) =>
        channel === 'webhook'
          ? webhook_url
          : [...(to_contacts ? [contacts[language]] : []), ...users.map(({ name }) => name)].join('; '),
    },
    {
      header: words('级别', 'Levels', 'Уровни'),
      cell: ({ levels }, language) =>
        levels.length === 1 ? levelNames[language][levels[0] === 1 ? 1 : 2] : everything.levels[language],
    },
    {
      header: words('报警类型', 'Alarm types', 'Типы сигналов'),
      cell: ({ typeNumbers }, language) =>
        typeNumbers.map((code) => alarmName(language, code)).join('; ') || everything.types[language],
    },
    {
      header: words('项目', 'Projects', 'Объекты'),
      cell: ({ projects }, language) =>
        projects.map(({ name }) => name).join('; ') || everything.projects[language],
    },
    {
      header: words('时间段', 'Time of day', 'Время суток'),
      cell: ({ window_from, window_to }, language) =>
        window_from === null || window_to === null
          ? everything.hours[language]
          : `${window_from}–${window_to}`,
    },
    {
      header: words('静默期（分钟）', 'Silence period (min)', 'Период тишины (мин)'),
      kind: 'number',
      cell: ({ silence_minutes }) => silence_minutes,
    },
    { header: words('设置人', 'Set by', 'Кто настроил'), cell: ({ owner }) => owner },
    {
      header: words('修改时间', 'Changed', 'Изменено'),
      kind: 'instant',
      cell: ({ updated_at }) => new Date(updated_at),
    },
  ],
};
