/** What ended an alarm, as a step of its history says it. */
import { type Language, type Words, words } from './languages.ts';

const ends = {
  device: words('设备上报消除', 'reported by the device', 'сообщило устройство'),
  server: words('服务器判定', 'judged by the server', 'определил сервер'),
  readings: words(
    '设备未上报消除，读数已恢复正常',
    'the device did not report it, its readings are normal',
    'устройство не сообщило, показания в норме',
  ),
  restart: words(
    '设备重启后未再上报',
    'the device restarted and did not report the alarm again',
    'после перезапуска устройство не повторило сигнал',
  ),
  limits: words(
    '阈值已修改或停用',
    'the threshold was changed or switched off',
    'уставка изменена или отключена',
  ),
  removed: words('设备已删除', 'the device was removed', 'устройство удалено'),
} as const satisfies Record<string, Words>;
export type AlarmEnd = keyof typeof ends;
const isEnd = (by: unknown): by is AlarmEnd => typeof by === 'string' && Object.hasOwn(ends, by);

/**
 * What ended the alarm with this step, or null if the step ended none, or says it by its kind. A step without a
 * reason is the end that the alarm's source found.
 */
export const alarmEndText = (
  step: { readonly kind: string; readonly data: Readonly<Record<string, unknown>> },
  source: 'device' | 'server',
  language: Language,
): string | null => {
  if (step.kind !== 'cleared') return null;
  const { by } = step.data;
  return ends[isEnd(by) ? by : source][language];
};
