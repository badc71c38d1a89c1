import type { Language } from './languages.ts';

type InLanguage = Readonly<Partial<Record<Language, string>>>;

/**
 * Units as readers of a language write them, where that differs from the unit's own symbol. Russian: ГОСТ
 * 8.417. Signs without letters, such as % and °C, are the same in every language.
 */
export const unitWords: Readonly<Record<string, InLanguage>> = {
  V: { 'ru-RU': 'В' },
  A: { 'ru-RU': 'А' },
  W: { 'ru-RU': 'Вт' },
  kW: { 'ru-RU': 'кВт' },
  var: { 'ru-RU': 'вар' },
  mA: { 'ru-RU': 'мА' },
  kWh: { 'ru-RU': 'кВт·ч' },
  Hz: { 'ru-RU': 'Гц' },
  dBm: { 'ru-RU': 'дБм' },
  'K/min': { 'ru-RU': 'К/мин' },
  ms: { 'ru-RU': 'мс' },
  s: { 'ru-RU': 'с' },
  min: { 'zh-CN': '分钟', 'ru-RU': 'мин' },
  d: { 'zh-CN': '天', 'ru-RU': 'сут' },
  '1/s': { 'zh-CN': '次/秒', 'en-US': 'arcs/s', 'ru-RU': 'дуг/с' },
  '1/0.5 s': { 'zh-CN': '次/0.5 秒', 'en-US': 'arcs/0.5 s', 'ru-RU': 'дуг/0,5 с' },
  '1/d': { 'zh-CN': '次/天', 'en-US': 'arcs/day', 'ru-RU': 'дуг/сут' },
  kg: { 'ru-RU': 'кг' },
  'm²': { 'ru-RU': 'м²' },
};

/** The unit in the reader's language; an unknown unit does not change. */
export const unitIn = (unit: string, language: Language): string =>
  (Object.hasOwn(unitWords, unit) ? unitWords[unit]?.[language] : undefined) ?? unit;
