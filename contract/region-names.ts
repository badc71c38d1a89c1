import type { Language } from './languages.ts';
import { palladius } from './palladius.ts';

/** Names of a region. */
export interface NamedRegion {
  id: number;
  name: string;
  latin: string;
}
/** Russian exonyms, and names that do not come from Chinese. */
const russianNames: Readonly<Record<number, string>> = {
  110000: 'Пекин',
  150000: 'Внутренняя Монголия',
  220000: 'Гирин',
  340000: 'Аньхой',
  540000: 'Тибет',
  610000: 'Шэньси',
  810000: 'Гонконг',
  820000: 'Макао',
  141100: 'Люйлян',
  150100: 'Хух-Хото',
  150600: 'Ордос',
  150700: 'Хулун-Буир',
  150800: 'Баян-Нур',
  150900: 'Уланчаб',
  152200: 'Хинган',
  152500: 'Шилин-Гол',
  152900: 'Алашань',
  220200: 'Гирин',
  230100: 'Харбин',
  230200: 'Цицикар',
  232700: 'Большой Хинган',
  320100: 'Нанкин',
  513200: 'Нгава',
  513300: 'Гардзе',
  540100: 'Лхаса',
  540200: 'Шигадзе',
  540300: 'Чамдо',
  540400: 'Ньингчи',
  540600: 'Нагчу',
  542500: 'Нгари',
  650100: 'Урумчи',
  650200: 'Карамай',
  650400: 'Турфан',
  650500: 'Хами',
  652700: 'Боро-Тала',
  652800: 'Баянгол',
  652900: 'Аксу',
  653000: 'Кызылсу',
  653100: 'Кашгар',
  653200: 'Хотан',
  654000: 'Или',
  654300: 'Алтай',
  152201: 'Улан-Хото',
  152501: 'Эрэн-Хото',
  152502: 'Шилин-Хото',
  460321: 'Острова Сиша',
  460322: 'Острова Наньша',
  460323: 'Острова Чжунша',
  513231: 'Нгава',
  513328: 'Гардзе',
  632801: 'Голмуд',
  650121: 'Урумчи',
  650203: 'Карамай',
  652801: 'Корла',
  652901: 'Аксу',
  653101: 'Кашгар',
  653131: 'Ташкурган',
  654004: 'Хоргос',
  654301: 'Алтай',
  659002: 'Арал',
  659003: 'Тумшук',
};
const russianName = ({ id, latin }: NamedRegion): string => russianNames[id] ?? palladius(latin) ?? latin;

/** A region's name for a reader: Chinese; pinyin or the English exonym; Cyrillic. */
export const regionName = (region: NamedRegion, language: Language): string => {
  if (language === 'zh-CN') return region.name;
  return language === 'en-US' ? region.latin : russianName(region);
};
/** The path from the province down. */
export const regionPathText = (path: readonly NamedRegion[], language: Language): string =>
  path.map((region) => regionName(region, language)).join(language === 'zh-CN' ? '' : ', ');

/** The entry with an empty id, first at each level. */
export const allRegions: Readonly<Record<Language, string>> = {
  'zh-CN': '全部',
  'en-US': 'All',
  'ru-RU': 'Все',
};
