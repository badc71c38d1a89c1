import type { deviceEndpoints } from './devices.ts';
import type { ReplyOf } from './endpoint.ts';
import { commandReason } from './faults/command-reason.ts';
import { type Language, type Words, words } from './languages.ts';
import type { oneKeyEndpoints } from './one-key.ts';
import type { TableSheet } from './sheet.ts';
import type { CommandVerb } from './telemetry.ts';

const verbWords: Readonly<Record<CommandVerb, Words>> = {
  open: words('分闸', 'open', 'отключить'),
  close: words('合闸', 'close', 'включить'),
  reset: words('复位', 'reset', 'сбросить'),
  silence: words('消音', 'silence', 'снять звуковой сигнал'),
  selftest: words('自检', 'self-test', 'самопроверка'),
  leak_test: words('漏电测试', 'leakage test', 'тест дифференциальной защиты'),
  arc_test: words('电弧测试', 'arc test', 'тест дуговой защиты'),
  clear_energy: words('电量清零', 'clear energy', 'сбросить счётчик энергии'),
  reboot: words('重启', 'restart', 'перезапустить'),
  ota: words('升级', 'update', 'обновить прошивку'),
  read: words('读取', 'read', 'опросить'),
  time_sync: words('校时', 'set the clock', 'установить часы'),
  identify: words('识别', 'identify', 'мигнуть'),
};
const stateWords: Readonly<Record<string, Words>> = {
  created: words('已创建', 'created', 'создана'),
  sent: words('已下发', 'sent', 'отправлена'),
  acknowledged: words(
    '设备已应答，等待证实',
    'acknowledged, waiting for verification',
    'принята устройством, ждём измерения',
  ),
  verified: words('已证实', 'verified', 'подтверждена измерением'),
  answered: words('设备报告已执行', 'done, as the device reports', 'выполнена по сообщению устройства'),
  failed: words('失败', 'failed', 'не выполнена'),
  mismatch: words('与读数矛盾', 'readings contradict it', 'не совпадает с измерением'),
  expired: words('已过期', 'expired', 'просрочена'),
  unknown: words('结果未知', 'result unknown', 'результат неизвестен'),
};
/** States of a line in a one-key batch that has no command. */
const batchStateWords: Readonly<Record<string, Words>> = {
  waiting: words('等待', 'waiting', 'ожидает'),
  skipped: words('跳过', 'skipped', 'пропущена'),
  refused: words('被拒绝', 'refused', 'отклонена'),
  not_sent: words('未下发', 'not sent', 'не отправлена'),
};
const causeWords: Readonly<Record<string, Words>> = {
  button: words('按钮', 'button', 'кнопка'),
  api: words('接口', 'API', 'API'),
  timer: words('定时', 'timer', 'таймер'),
  onekey: words('一键', 'group command', 'групповая команда'),
};
const textOf =
  (of: Readonly<Record<string, Words>>) =>
  (key: string, language: Language): string =>
    of[key]?.[language] ?? key;
export const verbText = textOf(verbWords);
export const commandStateText = textOf({ ...stateWords, ...batchStateWords });
const causeText = textOf(causeWords);

const instantOf = (at: string | null): Date | null => (at === null ? null : new Date(at));
const lineHeader = words('线路', 'Line', 'Линия');
const actionHeader = words('命令', 'Command', 'Команда');
const stateHeader = words('状态', 'State', 'Состояние');
const reasonHeader = words('说明', 'Reason', 'Причина');
const endedHeader = words('结束时间', 'Ended', 'Завершена');

type LoggedCommand = ReplyOf<typeof deviceEndpoints.logs>['list'][number];
export const commandSheet: TableSheet<LoggedCommand> = {
  name: words('历史命令', 'Commands', 'Команды'),
  columns: [
    { header: words('序号', 'No.', '№'), kind: 'number', cell: ({ number }) => number },
    { header: lineHeader, cell: ({ line_name, n }) => line_name || (n === 0 ? null : String(n)) },
    { header: actionHeader, cell: ({ action }, language) => verbText(action, language) },
    { header: stateHeader, cell: ({ state }, language) => commandStateText(state, language) },
    { header: reasonHeader, cell: ({ reason }, language) => reason && commandReason(reason, language) },
    {
      header: words('起因', 'Cause', 'Причина запуска'),
      cell: ({ cause }, language) => causeText(cause, language),
    },
    { header: words('操作人', 'Operator', 'Оператор'), cell: ({ operator }) => operator },
    { header: words('来源地址', 'From', 'Откуда'), cell: ({ address }) => address },
    {
      header: words('创建时间', 'Created', 'Создана'),
      kind: 'instant',
      cell: ({ created_at }) => instantOf(created_at),
    },
    {
      header: words('下发时间', 'Sent', 'Отправлена'),
      kind: 'instant',
      cell: ({ sent_at }) => instantOf(sent_at),
    },
    {
      header: words('应答时间', 'Acknowledged', 'Принята устройством'),
      kind: 'instant',
      cell: ({ acknowledged_at }) => instantOf(acknowledged_at),
    },
    { header: endedHeader, kind: 'instant', cell: ({ ended_at }) => instantOf(ended_at) },
    {
      header: words('计量依据', 'What the meter showed', 'Показания прибора'),
      cell: ({ evidence }) => evidence && JSON.stringify(evidence),
    },
  ],
};

type BatchLine = ReplyOf<typeof oneKeyEndpoints.batch>['lines'][number];
export const batchSheet: TableSheet<BatchLine> = {
  name: words('一键操作', 'Group command', 'Групповая команда'),
  columns: [
    {
      header: words('设备编号', 'Device number', 'Номер устройства'),
      cell: ({ device_number }) => device_number,
    },
    { header: words('线路号', 'Line number', 'Номер линии'), kind: 'number', cell: ({ n }) => n },
    { header: lineHeader, cell: ({ name }) => name },
    { header: stateHeader, cell: ({ state }, language) => commandStateText(state, language) },
    { header: reasonHeader, cell: ({ message, reason }) => message ?? reason },
    { header: words('时间', 'Time', 'Время'), kind: 'instant', cell: ({ at }) => instantOf(at) },
  ],
};
