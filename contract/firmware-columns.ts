import { deviceTypeText } from './columns.ts';
import type {
  FirmwareVersion,
  Rollout,
  RolloutDevice,
  RolloutDeviceState,
  RolloutState,
} from './firmware.ts';
import { type Language, type Words, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';

const versionStates = {
  enabled: words('启用', 'enabled', 'разрешена'),
  disabled: words('停用', 'disabled', 'запрещена'),
};
const rolloutStates: Readonly<Record<RolloutState, Words>> = {
  running: words('进行中', 'running', 'идёт'),
  paused: words('已暂停', 'paused', 'приостановлено'),
  stopped: words('已停止', 'stopped', 'остановлено'),
  done: words('已完成', 'done', 'завершено'),
};
const deviceStates: Readonly<Record<RolloutDeviceState, Words>> = {
  waiting: words('等待中', 'waiting', 'ожидает'),
  asked: words('已下发', 'asked', 'запрошено'),
  notified: words('已通知', 'notified', 'принято устройством'),
  downloading: words('下载中', 'downloading', 'загрузка'),
  downloaded: words('已下载', 'downloaded', 'загружено'),
  verified: words('已校验', 'verified', 'проверено'),
  updating: words('升级中', 'updating', 'установка'),
  updated: words('已升级', 'updated', 'обновлено'),
  failed: words('失败', 'failed', 'ошибка'),
  rolled_back: words('已回退', 'rolled back', 'откат'),
  skipped: words('已跳过', 'skipped', 'пропущено'),
};
const deviceType = {
  header: words('设备类型', 'Device type', 'Тип устройства'),
  cell: ({ mac_type }: { mac_type: number }, language: Language) => deviceTypeText(mac_type, language),
};
const version = words('固件版本', 'Firmware version', 'Версия прошивки');
const state = words('状态', 'State', 'Состояние');
const why = words('原因', 'Reason', 'Причина');

export const versionSheet: TableSheet<FirmwareVersion> = {
  name: words('固件版本', 'Firmware versions', 'Версии прошивок'),
  columns: [
    { header: version, cell: ({ appVersion }) => appVersion },
    deviceType,
    { header: words('类型名称', 'Type name', 'Название типа'), cell: ({ mac_name }) => mac_name },
    { header: words('平台版本', 'Platform version', 'Версия платформы'), cell: (row) => row.platformVersion },
    {
      header: words('升级文件路径', 'Upgrade file path', 'Путь к файлу обновления'),
      cell: (row) => row.appUrl,
    },
    {
      header: words('大小（字节）', 'Size (bytes)', 'Размер (байт)'),
      kind: 'number',
      cell: ({ size }) => size,
    },
    { header: words('SHA-256', 'SHA-256', 'SHA-256'), cell: ({ sha256 }) => sha256 },
    { header: words('签名', 'Signed by', 'Подписал'), cell: ({ signed_by }) => signed_by },
    {
      header: words('状态', 'Status', 'Состояние'),
      cell: ({ status }, language) => versionStates[status][language],
    },
    {
      header: words('已运行的设备', 'Devices on this version', 'Устройств с ней'),
      kind: 'number',
      cell: ({ devices }) => devices,
    },
    {
      header: words('该类型的设备', 'Devices of the type', 'Устройств этого типа'),
      kind: 'number',
      cell: ({ devices_of_type }) => devices_of_type,
    },
    { header: words('备注', 'Notes', 'Примечания'), cell: ({ notes }) => notes },
    { header: words('添加人', 'Added by', 'Кто добавил'), cell: ({ created_by }) => created_by },
    {
      header: words('添加时间', 'Added', 'Добавлена'),
      kind: 'instant',
      cell: ({ created_at }) => new Date(created_at),
    },
  ],
};

export const rolloutSheet: TableSheet<Rollout> = {
  name: words('升级任务', 'Rollouts', 'Развёртывания'),
  columns: [
    { header: version, cell: ({ appVersion }) => appVersion },
    deviceType,
    { header: state, cell: (row, language) => rolloutStates[row.state][language] },
    { header: why, cell: ({ message }) => message },
    { header: words('批次', 'Wave', 'Волна'), cell: ({ wave, waves }) => `${wave} / ${waves}` },
    { header: words('设备数', 'Devices', 'Устройств'), kind: 'number', cell: ({ total }) => total },
    { header: deviceStates.updated, kind: 'number', cell: ({ counts }) => counts.updated ?? 0 },
    {
      header: words('失败和回退', 'failed or rolled back', 'ошибка или откат'),
      kind: 'number',
      cell: ({ counts }) => (counts.failed ?? 0) + (counts.rolled_back ?? 0),
    },
    { header: deviceStates.skipped, kind: 'number', cell: ({ counts }) => counts.skipped ?? 0 },
    { header: words('发起人', 'Started by', 'Кто начал'), cell: ({ author }) => author },
    {
      header: words('开始时间', 'Started', 'Начало'),
      kind: 'instant',
      cell: ({ created_at }) => new Date(created_at),
    },
    {
      header: words('结束时间', 'Ended', 'Завершено'),
      kind: 'instant',
      cell: ({ ended_at }) => ended_at && new Date(ended_at),
    },
  ],
};

export const rolloutDeviceSheet: TableSheet<RolloutDevice> = {
  name: words('升级设备', 'Rollout devices', 'Устройства развёртывания'),
  columns: [
    { header: words('设备编号', 'Device number', 'Номер устройства'), cell: ({ number }) => number },
    { header: words('设备名称', 'Device name', 'Название устройства'), cell: ({ name }) => name },
    { header: words('所属项目', 'Project', 'Объект'), cell: ({ project_name }) => project_name },
    { header: words('批次', 'Wave', 'Волна'), kind: 'number', cell: ({ wave }) => wave },
    { header: state, cell: (row, language) => deviceStates[row.state][language] },
    {
      header: words('升级前版本', 'Version before', 'Прежняя версия'),
      cell: ({ from_version }) => from_version,
    },
    { header: words('当前版本', 'Version now', 'Текущая версия'), cell: (row) => row.version },
    { header: words('尝试次数', 'Tries', 'Попыток'), kind: 'number', cell: ({ tries }) => tries },
    { header: why, cell: ({ message }) => message },
    {
      header: words('更新时间', 'Changed', 'Изменено'),
      kind: 'instant',
      cell: ({ updated_at }) => new Date(updated_at),
    },
  ],
};
