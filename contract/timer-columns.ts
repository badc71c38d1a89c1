import { type Language, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';
import { type TimerRow, weekdays } from './timers.ts';

const actions = { close: words('合闸', 'Close', 'Включить'), open: words('分闸', 'Open', 'Отключить') };
const runners = {
  server: words('服务器', 'server', 'сервер'),
  device: words('设备', 'device', 'устройство'),
};
const copies = {
  synced: words('已确认', 'copy confirmed', 'копия подтверждена'),
  pending: words('待确认', 'copy not confirmed yet', 'копия не подтверждена'),
  conflict: words('不一致', 'copy differs', 'копия отличается'),
};
const outcomes = {
  due: words('到期', 'due', 'наступил'),
  fired: words('已下发', 'sent', 'отправлен'),
  skipped: words('已跳过', 'skipped', 'пропущен'),
  missed: words('已错过', 'missed', 'не сработал'),
};
const states = {
  enabled: words('已启用', 'enabled', 'действует'),
  disabled: words('已停用', 'disabled', 'приостановлен'),
  done: words('已完成', 'done', 'выполнен'),
};

/** A Monday. */
const monday = Date.UTC(2024, 0, 1);
const dayMs = 86_400_000;
const daysOf = (row: TimerRow, language: Language): string => {
  if (row.type === 'once') return row.date ?? '';
  const { format } = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  return weekdays.flatMap((day, index) => (row[day] ? [format(monday + index * dayMs)] : [])).join(', ');
};

export const timerSheet: TableSheet<TimerRow> = {
  name: words('定时', 'Timers', 'Таймеры'),
  columns: [
    { header: words('所属项目', 'Project', 'Объект'), cell: ({ project_name }) => project_name },
    {
      header: words('设备编号', 'Device number', 'Номер устройства'),
      cell: ({ device_number }) => device_number,
    },
    { header: words('线路', 'Line', 'Линия'), cell: ({ line_name, n }) => line_name || String(n) },
    {
      header: words('动作', 'Action', 'Действие'),
      cell: ({ action }, language) => actions[action][language],
    },
    { header: words('时间', 'Time', 'Время'), cell: ({ time }) => time },
    { header: words('执行日', 'Days', 'Дни'), cell: daysOf },
    { header: words('时区', 'Time zone', 'Часовой пояс'), cell: ({ time_zone }) => time_zone },
    {
      header: words('状态', 'Status', 'Состояние'),
      cell: ({ done, enabled }, language) =>
        states[done ? 'done' : enabled ? 'enabled' : 'disabled'][language],
    },
    {
      header: words('执行方', 'Run by', 'Кто выполняет'),
      cell: ({ run_by }, language) => runners[run_by][language],
    },
    {
      header: words('设备内副本', 'Copy in the device', 'Копия в устройстве'),
      cell: ({ sync }, language) => sync && copies[sync][language],
    },
    {
      header: words('下次执行', 'Next run', 'Следующее срабатывание'),
      kind: 'instant',
      cell: ({ next_at }) => next_at && new Date(next_at),
    },
    {
      header: words('上次执行', 'Last run', 'Последнее срабатывание'),
      kind: 'instant',
      cell: ({ last_run }) => last_run && new Date(last_run.due_at),
    },
    {
      header: words('执行结果', 'Outcome', 'Результат'),
      cell: ({ last_run }, language) =>
        last_run && (last_run.message ?? outcomes[last_run.outcome][language]),
    },
    { header: words('设置人', 'Author', 'Автор'), cell: ({ author }) => author },
  ],
};
