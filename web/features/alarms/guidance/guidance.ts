import { alarmTypeOf, interlockCodes } from '#contract/alarm-catalogue.ts';
import type { Language } from '#contract/languages.ts';
import type { Guidance } from './advice.ts';

const sources: Record<Language, () => Promise<{ guidance: Guidance }>> = {
  'zh-CN': () => import('./zh-CN.ts'),
  'en-US': () => import('./en-US.ts'),
  'ru-RU': () => import('./ru-RU.ts'),
};
/** The advice in one language, loaded when an alarm is opened. */
export const guidanceIn = async (language: Language): Promise<Guidance> =>
  (await sources[language]()).guidance;

/** Whether the type forbids closing at alarm level, and whether ending that needs a reset. */
export const interlockOf = (code: number): 'none' | 'untilNormal' | 'untilReset' => {
  if (!interlockCodes.has(code)) return 'none';
  return alarmTypeOf(code)?.latched ? 'untilReset' : 'untilNormal';
};
