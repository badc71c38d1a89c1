/**
 * The sentences of messages and pushes. The database stores a key and parameters; the sentence is made in the
 * reader's language.
 */
import { alarmName, levelNames } from './alarm-names.ts';
import { isFault, sentence } from './faults/codes.ts';
import { problemCodes } from './health.ts';
import { problemSubject, problemWords } from './health-words.ts';
import { colonIn, type Language } from './languages.ts';
import type { MessageType } from './messages.ts';

type Words = Record<Language, readonly [title: string, text: string]>;

/**
 * `{level}` and `{type}` come from the parameters `level` and `code`; `{place}` is project, device and line;
 * `{more}` names the other alarms of the same message (`others`), and counts those that it cannot name.
 */
const messageWords = {
  'alarm.raised': {
    'zh-CN': ['{level}：{type}', '{place}{tripped}{more}{delayed}{raised}'],
    'en-US': ['{level}: {type}', '{place}{tripped}{more}{delayed}{raised}'],
    'ru-RU': ['{level}: {type}', '{place}{tripped}{more}{delayed}{raised}'],
  },
  'alarm.escalated': {
    'zh-CN': ['已升级为{level}：{type}', '{place}{tripped}{more}'],
    'en-US': ['Now {level}: {type}', '{place}{tripped}{more}'],
    'ru-RU': ['Повышено до «{level}»: {type}', '{place}{tripped}{more}'],
  },
  'alarm.reminder': {
    'zh-CN': ['尚未处理：{type}', '{place}{more}，请尽快处理'],
    'en-US': ['Still unprocessed: {type}', '{place}{more}. Action required'],
    'ru-RU': ['Не обработано: {type}', '{place}{more}. Требуется обработка'],
  },
  'alarm.digest': {
    'zh-CN': ['未处理的报警：{type}', '{place}{more}'],
    'en-US': ['Awaiting action: {type}', '{place}{more}'],
    'ru-RU': ['Ожидает обработки: {type}', '{place}{more}'],
  },
  'alarm.urged': {
    'zh-CN': ['催办：{type}', '{place}{more}，请立即处理'],
    'en-US': ['Reminder: {type}', '{place}{more}'],
    'ru-RU': ['Просьба обработать: {type}', '{place}{more}'],
  },
  'alarm.cleared': {
    'zh-CN': ['{over}：{type}', '{place}{more}'],
    'en-US': ['{over}: {type}', '{place}{more}'],
    'ru-RU': ['{over}: {type}', '{place}{more}'],
  },
  'notice.test': {
    'zh-CN': ['通知测试', '如果您看到此消息，说明该通知方式可用'],
    'en-US': ['Test notification', 'If you can read this, the channel works'],
    'ru-RU': ['Проверка уведомления', 'Если вы это читаете, канал работает'],
  },
  'timer.missed': {
    'zh-CN': ['定时未执行', '{place}：{action} {time} 未执行（{reason}）'],
    'en-US': ['A timer did not run', '{place}: {action} at {time} did not run ({reason})'],
    'ru-RU': ['Таймер не выполнен', '{place}: {action} в {time} не выполнено ({reason})'],
  },
  'tag.review': {
    'zh-CN': ['挂牌到期复核', '{place}：{reason}'],
    'en-US': ['Lock-out tag due for review', '{place}: {reason}'],
    'ru-RU': ['Пора проверить плакат', '{place}: {reason}'],
  },
  'device.expiring': {
    'zh-CN': ['设备服务即将到期', '{place}：{date} 到期'],
    'en-US': ['Service is about to expire', '{place}: on {date}'],
    'ru-RU': ['Истекает срок обслуживания (SIM, услуга)', '{place}: {date}'],
  },
  'push.gone': {
    'zh-CN': ['推送已失效', '您的一个控制台不再接收推送，请在该设备上重新开启'],
    'en-US': [
      'Push notifications stopped on one of your devices',
      'One of your consoles no longer accepts them. Turn them on there again.',
    ],
    'ru-RU': [
      'Уведомления больше не доставляются',
      'Одна из ваших консолей не принимает уведомления: разрешите их на ней снова',
    ],
  },
  'push.ended': {
    'zh-CN': ['推送已关闭', '{count} 个控制台的登录已被结束，不再接收推送。请在该设备上重新登录并开启推送。'],
    'en-US': [
      'Push notifications were turned off',
      'Devices whose sessions were ended and that get no more: {count}. Sign in there and turn them on again.',
    ],
    'ru-RU': [
      'Push-уведомления выключены',
      'Устройств, сеансы на которых завершены и которые их больше не получают: {count}. Войдите на них и включите уведомления снова.',
    ],
  },
  'feedback.new': {
    'zh-CN': ['收到新的反馈', '{who}：{text}'],
    'en-US': ['New feedback', '{who}: {text}'],
    'ru-RU': ['Новое обращение', '{who}: {text}'],
  },
  'feedback.replied': {
    'zh-CN': ['您的反馈已得到回复', '{text}'],
    'en-US': ['Your feedback was answered', '{text}'],
    'ru-RU': ['Получен ответ на ваше обращение', '{text}'],
  },
  'system.demo': {
    'zh-CN': [
      '欢迎使用 Ampwatch 演示环境',
      '{projects} 个项目、{devices} 台设备均为虚构：其中 {live} 台由模拟器实时运行，会上报、报警并执行命令；此前 {days} 天的历史由程序生成。',
    ],
    'en-US': [
      'Welcome to the demo estate',
      'Its {projects} projects and {devices} devices are fictional. {live} of the devices are simulated live: they report, raise alarms and carry out commands. The history of the {days} days before was generated.',
    ],
    'ru-RU': [
      'Добро пожаловать в демонстрационную среду',
      'Всё здесь вымышлено: объектов — {projects}, устройств — {devices}. Вживую моделируются {live}: они передают показания и сигналы и выполняют команды; история до этого (дней: {days}) составлена программой.',
    ],
  },
  'system.unwell': {
    'zh-CN': ['系统状态异常：{problem}', '{about}请在“系统”页面查看。'],
    'en-US': ['Ampwatch needs attention: {problem}', '{about}See the System page.'],
    'ru-RU': ['Ampwatch требует внимания: {problem}', '{about}Подробности — на странице «Система».'],
  },
  'system.well': {
    'zh-CN': ['系统已恢复正常：{problem}', '{about}'],
    'en-US': ['Back to normal: {problem}', '{about}'],
    'ru-RU': ['Снова в норме: {problem}', '{about}'],
  },
  'system.note': {
    'zh-CN': ['{title}', '{text}'],
    'en-US': ['{title}', '{text}'],
    'ru-RU': ['{title}', '{text}'],
  },
} as const satisfies Record<string, Words>;
export type MessageKey = keyof typeof messageWords;

type End = 'normal' | 'removed' | 'moved' | 'ended';
const states: Record<Language, Readonly<Record<'reminder' | 'urged' | End, string>>> = {
  'zh-CN': {
    ...{ reminder: '未处理', urged: '催办' },
    ...{ normal: '已消除', removed: '设备已删除', moved: '设备已转移', ended: '已结束' },
  },
  'en-US': {
    ...{ reminder: 'Unprocessed', urged: 'Reminder' },
    ...{ normal: 'Cleared', removed: 'Removed', moved: 'Moved', ended: 'Ended' },
  },
  'ru-RU': {
    ...{ reminder: 'Не обработано', urged: 'Срочно' },
    ...{ normal: 'Норма', removed: 'Удалено', moved: 'Перенесено', ended: 'Завершено' },
  },
};
/** The content of a message in one word, for small spaces: the level, or how the alarm ended (`over`). */
export const shortState = (
  language: Language,
  { kind, level, over }: { kind: string; level: number; over?: unknown },
): string => {
  if (kind === 'cleared') return states[language][endOf(over)];
  if (kind === 'reminder' || kind === 'urged') return states[language][kind];
  return levelNames[language][level === 1 ? 1 : 2];
};

const more: Record<Language, (count: number) => string> = {
  'zh-CN': (count) => `，另有 ${count} 条报警`,
  'en-US': (count) => ` and ${count} more`,
  'ru-RU': (count) => ` и ещё ${count}`,
};
/** Label for an outage of a whole project. */
const whole: Record<Language, (devices: number, of: number) => string> = {
  'zh-CN': (devices, of) => `（整个项目：${of} 台设备中的 ${devices} 台）`,
  'en-US': (devices, of) => ` (whole project: ${devices} of ${of} devices)`,
  'ru-RU': (devices, of) => ` (весь объект: устройств ${devices} из ${of})`,
};
const delayed: Record<Language, string> = {
  'zh-CN': '（延迟上报）',
  'en-US': ' (reported late)',
  'ru-RU': ' (сообщено с опозданием)',
};
/** How the alarms of an all-clear ended; 'ended': each in its own way. */
const over: Record<Language, Readonly<Record<End, string>>> = {
  'zh-CN': { normal: '已消除', removed: '设备已删除', moved: '设备已转移', ended: '已结束' },
  'en-US': { normal: 'Back to normal', removed: 'Device removed', moved: 'Device moved', ended: 'Ended' },
  'ru-RU': {
    normal: 'Снова в норме',
    removed: 'Устройство удалено',
    moved: 'Устройство перенесено',
    ended: 'Завершено',
  },
};
const ends = ['removed', 'moved', 'ended'] as const;
const endOf = (how: unknown): End => ends.find((end) => end === how) ?? 'normal';
/** The protection opened the line because of the alarm. */
const tripped: Record<Language, string> = {
  'zh-CN': '（线路已跳闸）',
  'en-US': ' (the line tripped)',
  'ru-RU': ' (линия отключена защитой)',
};
/** When an alarm was raised that is announced much later. */
const raised: Record<Language, (time: string) => string> = {
  'zh-CN': (time) => `（发生于 ${time}）`,
  'en-US': (time) => ` (raised ${time})`,
  'ru-RU': (time) => ` (возник ${time})`,
};

const actions: Record<Language, Readonly<Record<string, string>>> = {
  'zh-CN': { open: '分闸', close: '合闸' },
  'en-US': { open: 'open', close: 'close' },
  'ru-RU': { open: 'отключение', close: 'включение' },
};

const reasonOf = (reason: string, language: Language) =>
  isFault(reason) ? sentence(reason, language) : reason;

interface Named {
  code?: unknown;
  level?: unknown;
  place?: unknown;
}
/** One line for each of the other alarms. */
const namedOthers = (language: Language, others: unknown): string =>
  Array.isArray(others)
    ? (others as Named[])
        .map(
          ({ code, level, place }) =>
            `\n${levelNames[language][level === 1 ? 1 : 2]}${colonIn(language)}${alarmName(language, Number(code))} · ${String(place ?? '')}`,
        )
        .join('')
    : '';

/** The name and place of a problem of the product; empty in messages about other things. */
const problemNamed = (language: Language, problem: unknown, subject: unknown): Record<string, string> => {
  const code = problemCodes.find((each) => each === problem);
  if (!code) return {};
  const about = problemSubject(language, String(subject ?? ''));
  return {
    problem: problemWords[code][language][0],
    about: about === '' ? '' : `${about}${language === 'zh-CN' ? '。' : '. '}`,
  };
};

/** Title and text of a message; for an unknown key of another version, the key itself. */
export const messageText = (
  language: Language,
  key: string,
  data: Readonly<Record<string, unknown>>,
): { title: string; text: string } => {
  const words = Object.hasOwn(messageWords, key)
    ? messageWords[key as MessageKey][language]
    : ([key, ''] as const);
  const others = Array.isArray(data['others']) ? data['others'].length : 0;
  const unnamed = Number(data['alarms'] ?? 1) - 1 - others;
  const filled: Record<string, string> = {
    ...Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value ?? '')])),
    place:
      String(data['place'] ?? '') +
      (typeof data['of'] === 'number' ? whole[language](Number(data['devices'] ?? 0), data['of']) : ''),
    level: levelNames[language][data['level'] === 1 ? 1 : 2],
    type: typeof data['code'] === 'number' ? alarmName(language, data['code']) : '',
    action: actions[language][String(data['action'])] ?? '',
    reason: typeof data['reason'] === 'string' ? reasonOf(data['reason'], language) : '',
    ...problemNamed(language, data['problem'], data['subject']),
    more: namedOthers(language, data['others']) + (unnamed > 0 ? more[language](unnamed) : ''),
    delayed: data['late'] === true ? delayed[language] : '',
    over: over[language][endOf(data['over'])],
    tripped: data['tripped'] === true ? tripped[language] : '',
    raised: typeof data['raised'] === 'string' ? raised[language](data['raised']) : '',
  };
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_whole, name: string) => filled[name] ?? '');
  return { title: fill(words[0]), text: fill(words[1]) };
};

export const messageTypeNames: Record<Language, Record<MessageType, string>> = {
  'zh-CN': { alarm: '报警通知', urge: '催办', timer: '定时', tag: '挂牌', device: '设备', system: '系统' },
  'en-US': {
    alarm: 'Alarms',
    urge: 'Reminders',
    timer: 'Timers',
    tag: 'Tags',
    device: 'Devices',
    system: 'System',
  },
  'ru-RU': {
    alarm: 'Сигналы',
    urge: 'Напоминания',
    timer: 'Таймеры',
    tag: 'Плакаты',
    device: 'Устройства',
    system: 'Система',
  },
};
