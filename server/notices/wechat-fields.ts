/**
 * The fields of a template message. WeChat truncates or refuses values that are too long for the kind of
 * their key.
 */
import type { WechatFields, WechatPart } from '#contract/notices.ts';

/** Maximum length by the kind of the key. Source: WeChat, 'Parameter types of template messages'. */
const longest: Readonly<Record<string, number>> = {
  thing: 20,
  short_thing: 20,
  keyword: 20,
  const: 20,
  name: 10,
  phrase: 5,
  character_string: 32,
  number: 32,
  letter: 32,
  symbol: 5,
  time: 32,
  date: 32,
};
const usual = 20;
const limitOf = (key: string): number => longest[key.replace(/\d+$/, '')] ?? usual;
const lengthOf = (text: string) => [...text].length;
const head = (text: string, limit: number): string =>
  lengthOf(text) <= limit
    ? text
    : limit < 2
      ? [...text].slice(0, limit).join('')
      : `${[...text].slice(0, limit - 1).join('')}…`;

export interface WechatAlarm {
  readonly level: string;
  readonly type: string;
  readonly project: string;
  readonly device: string;
  /** 0: the whole device, or a project. */
  readonly lineN: number;
  readonly lineName: string;
  readonly value: string;
  readonly time: string;
  readonly workOrder: string;
  /** Number of other alarms in a digest. */
  readonly more: number;
}

/** The whole line name if it fits, else its number and the beginning of its name. */
const lineOf = ({ lineN, lineName, device }: WechatAlarm, limit: number): string => {
  if (lineN === 0) return head(lineName || device, limit);
  if (lineName === '') return `L${lineN}`;
  return lengthOf(lineName) <= limit ? lineName : head(`L${lineN} ${lineName}`, limit);
};
const separator = ' ';
/** Project and device are shortened so that the line fits. */
const placeOf = (alarm: WechatAlarm, limit: number): string => {
  const before = [alarm.project, alarm.device].filter(Boolean).join(separator);
  if (alarm.lineN === 0) return head(before, limit);
  const line = lineOf(alarm, limit);
  const room = limit - lengthOf(line) - separator.length;
  return room < 3 || before === '' ? line : `${head(before, room)}${separator}${line}`;
};
/** The type is shortened so that level and count fit. */
const alarmOf = ({ level, type, more }: WechatAlarm, limit: number): string => {
  const count = more > 0 ? ` +${more}` : '';
  const room = limit - lengthOf(level) - lengthOf(count) - 1;
  return room < 2 ? head(level, limit) : `${level}:${head(type, room)}${count}`;
};

const textOf = (part: WechatPart, alarm: WechatAlarm, limit: number): string => {
  switch (part) {
    case 'alarm':
      return alarmOf(alarm, limit);
    case 'place':
      return placeOf(alarm, limit);
    case 'line':
      return lineOf(alarm, limit);
    case 'time':
      return alarm.time;
    case 'work_order':
      return head(alarm.workOrder, limit);
    default:
      return head(alarm[part], limit);
  }
};

/** The `data` of a template message; an empty value would be refused. */
export const wechatData = (fields: WechatFields, alarm: WechatAlarm): Record<string, { value: string }> =>
  Object.fromEntries(
    Object.entries(fields).map(([part, key]) => [
      key,
      { value: textOf(part as WechatPart, alarm, limitOf(key)) || '-' },
    ]),
  );
