import type { BackupRow, DatabaseTable, MaintenanceJob } from './backups.ts';
import { yesWords } from './columns.ts';
import { words } from './languages.ts';
import type { TableSheet } from './sheet.ts';

const tableStates = {
  completed: words('已完成', 'completed', 'есть'),
  none: words('未备份', 'not backed up', 'нет'),
  excluded: words('临时数据，不备份', 'short-lived data, left out', 'временные данные, не копируется'),
};
const causes = {
  manual: words('手动', 'a person', 'вручную'),
  schedule: words('计划', 'the schedule', 'по расписанию'),
  beforeRestore: words('恢复前', 'before a restore', 'перед восстановлением'),
  beforeUpgrade: words('升级前', 'before an upgrade', 'перед обновлением'),
  commandLine: words('命令行', 'the command line', 'из командной строки'),
};
const backupStates = {
  complete: words('完整', 'complete', 'целая'),
  damaged: words('已损坏', 'damaged', 'повреждена'),
};
const kinds = {
  backup: words('备份', 'Backup', 'Копирование'),
  optimise: words('优化', 'Optimise', 'Оптимизация'),
  repair: words('修复', 'Repair', 'Исправление'),
  restore: words('恢复', 'Restore', 'Восстановление'),
  drill: words('恢复演练', 'Restore drill', 'Проверочное восстановление'),
};
const jobStates = {
  queued: words('等待中', 'waiting', 'ожидает'),
  running: words('进行中', 'running', 'выполняется'),
  swapping: words('服务器正在重启', 'server restarts', 'сервер перезапускается'),
  done: words('已完成', 'done', 'выполнено'),
  failed: words('失败', 'failed', 'ошибка'),
  cancelled: words('已取消', 'cancelled', 'отменено'),
};
const everything = words('全部', 'everything', 'всё');
const rowsHeader = words('行数', 'Rows', 'Строк');
const sizeHeader = words('大小（字节）', 'Size (bytes)', 'Размер (байт)');
const backupHeader = words('备份名称', 'Backup', 'Резервная копия');
const instantOf = (at: string | null): Date | null => (at === null ? null : new Date(at));

export const tableSheet: TableSheet<DatabaseTable> = {
  name: words('数据表', 'Tables', 'Таблицы'),
  columns: [
    { header: words('表名', 'Table', 'Таблица'), cell: ({ name }) => name },
    {
      header: words('行数（约）', 'Rows (approx.)', 'Строк (примерно)'),
      kind: 'number',
      cell: ({ rows }) => rows,
    },
    {
      header: words('数据长度（字节）', 'Data length (bytes)', 'Объём данных (байт)'),
      kind: 'number',
      cell: ({ data_bytes }) => data_bytes,
    },
    {
      header: words('大小（含索引，字节）', 'Size with indexes (bytes)', 'Размер с индексами (байт)'),
      kind: 'number',
      cell: ({ size_bytes }) => size_bytes,
    },
    {
      header: words('创建时间', 'Created', 'Создана'),
      kind: 'instant',
      cell: ({ created_at }) => instantOf(created_at),
    },
    {
      header: words('备份状态', 'Backup status', 'Резервная копия'),
      cell: ({ status }, language) => tableStates[status][language],
    },
    {
      header: words('最近备份', 'Last backup', 'Последняя копия'),
      kind: 'instant',
      cell: ({ last_backup }) => instantOf(last_backup?.at ?? null),
    },
  ],
};

export const backupSheet: TableSheet<BackupRow> = {
  name: words('备份文件', 'Backups', 'Резервные копии'),
  columns: [
    { header: backupHeader, cell: ({ name }) => name },
    { header: words('时间', 'Time', 'Время'), kind: 'instant', cell: ({ made_at }) => new Date(made_at) },
    {
      header: words('来源', 'Made by', 'Кем создана'),
      cell: ({ cause }, language) => cause && causes[cause][language],
    },
    {
      header: words('表数', 'Tables', 'Таблиц'),
      cell: ({ whole, tables }, language) => (whole ? everything[language] : tables),
    },
    { header: rowsHeader, kind: 'number', cell: ({ rows }) => rows },
    { header: words('卷数', 'Volumes', 'Томов'), kind: 'number', cell: ({ volumes }) => volumes },
    { header: words('压缩', 'Compression', 'Сжатие'), cell: ({ compression }) => compression },
    {
      header: words('已加密', 'encrypted', 'зашифрована'),
      cell: ({ encrypted }, language) => yesWords[encrypted ? 'yes' : 'no'][language],
    },
    { header: sizeHeader, kind: 'number', cell: ({ bytes }) => bytes },
    {
      header: words('状态', 'State', 'Состояние'),
      cell: ({ state }, language) => backupStates[state][language],
    },
    {
      header: words('验证时间', 'Last drill', 'Проверена'),
      kind: 'instant',
      cell: ({ proved_at }) => instantOf(proved_at),
    },
  ],
};

export const jobSheet: TableSheet<MaintenanceJob> = {
  name: words('数据库任务', 'Database jobs', 'Задания базы данных'),
  columns: [
    { header: words('任务', 'Job', 'Задание'), cell: ({ kind }, language) => kinds[kind][language] },
    {
      header: words('状态', 'State', 'Состояние'),
      cell: ({ state }, language) => jobStates[state][language],
    },
    {
      header: words('对象', 'Applies to', 'Объём'),
      cell: ({ tables }, language) => tables?.join('; ') ?? everything[language],
    },
    { header: backupHeader, cell: ({ backup }) => backup },
    {
      header: words('发起人', 'Started by', 'Кто начал'),
      cell: ({ cause, operator }, language) => (cause === 'schedule' ? causes.schedule[language] : operator),
    },
    {
      header: words('开始时间', 'Started', 'Начало'),
      kind: 'instant',
      cell: ({ created_at }) => new Date(created_at),
    },
    {
      header: words('结束时间', 'Ended', 'Завершено'),
      kind: 'instant',
      cell: ({ ended_at }) => instantOf(ended_at),
    },
    { header: rowsHeader, kind: 'number', cell: ({ result }) => result.rows ?? null },
    { header: sizeHeader, kind: 'number', cell: ({ result }) => result.bytes ?? null },
    { header: words('说明', 'Reason', 'Причина'), cell: ({ message }) => message },
  ],
};
