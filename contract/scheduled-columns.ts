import { colonIn, type Words, words } from './languages.ts';
import { type JobCount, jobCounts, type ScheduledRow } from './scheduled.ts';
import { jobWords } from './scheduled-words.ts';
import type { TableSheet } from './sheet.ts';

const kinds = {
  timed: words('按时间', 'by the clock', 'по часам'),
  queue: words('按队列', 'by its queue', 'по очереди'),
};
const states = {
  idle: words('空闲', 'idle', 'ожидает'),
  running: words('运行中', 'running', 'выполняется'),
  asked: words('即将开始', 'starting', 'запускается'),
};
const outcomes = {
  done: words('成功', 'succeeded', 'успешно'),
  failed: words('失败', 'failed', 'ошибка'),
  lost: words('中断', 'interrupted', 'прервано'),
};
const counted: Readonly<Record<JobCount, Words>> = {
  made: words('新建', 'made', 'создано'),
  changed: words('更新', 'updated', 'обновлено'),
  removed: words('删除', 'deleted', 'удалено'),
  checked: words('发现', 'found', 'найдено'),
  bytes: words('字节', 'bytes', 'байт'),
};
const instantOf = (at: string | null): Date | null => (at === null ? null : new Date(at));

export const scheduledSheet: TableSheet<ScheduledRow> = {
  name: words('计划任务', 'Scheduled jobs', 'Плановая работа'),
  columns: [
    { header: words('任务', 'Job', 'Задание'), cell: ({ name }, language) => jobWords[name][language][0] },
    {
      header: words('说明', 'What it does', 'Что делает'),
      cell: ({ name }, language) => jobWords[name][language][1],
    },
    {
      header: words('运行方式', 'Runs', 'Как запускается'),
      cell: ({ kind }, language) => kinds[kind][language],
    },
    { header: words('状态', 'State', 'Состояние'), cell: ({ state }, language) => states[state][language] },
    {
      header: words('上次运行', 'Last run', 'Последний запуск'),
      cell: ({ outcome }, language) => outcome && outcomes[outcome][language],
    },
    {
      header: words('结果', 'Result', 'Результат'),
      cell: ({ error, result }, language) =>
        error ??
        jobCounts
          .filter((count) => (result[count] ?? 0) > 0)
          .map((count) => `${counted[count][language]}${colonIn(language)}${result[count]}`)
          .join(', '),
    },
    {
      header: words('开始时间', 'Started', 'Начато'),
      kind: 'instant',
      cell: ({ started_at }) => instantOf(started_at),
    },
    {
      header: words('结束时间', 'Ended', 'Завершено'),
      kind: 'instant',
      cell: ({ ended_at }) => instantOf(ended_at),
    },
    {
      header: words('用时（毫秒）', 'Duration (ms)', 'Длительность (мс)'),
      kind: 'number',
      cell: ({ duration_ms }) => duration_ms,
    },
    {
      header: words('下次运行', 'Next run', 'Следующий запуск'),
      kind: 'instant',
      cell: ({ next_at }) => instantOf(next_at),
    },
    {
      header: words('连续失败次数', 'Failures in a row', 'Ошибок подряд'),
      kind: 'number',
      cell: ({ failures }) => failures,
    },
    { header: words('运行次数', 'Runs so far', 'Всего запусков'), kind: 'number', cell: ({ runs }) => runs },
  ],
};
