import type { Language } from '#contract/languages.ts';

/** The shortcuts that appear on a long press on the console's icon. */
const shortcuts: readonly { url: string; name: Record<Language, string> }[] = [
  { url: '/home/alarmList', name: { 'zh-CN': '报警', 'en-US': 'Alarms', 'ru-RU': 'Сигналы' } },
  { url: '/home/datascreen', name: { 'zh-CN': '数据总览', 'en-US': 'Overview', 'ru-RU': 'Обзор' } },
  { url: '/home/search', name: { 'zh-CN': '搜索', 'en-US': 'Search', 'ru-RU': 'Поиск' } },
];
const icons = [{ src: '/icon-192.png', sizes: '192x192', type: 'image/png' }];

/** Name and shortcuts of an installed console, in the language of the browser that installs it. */
export const appManifest = (built: Record<string, unknown>, language: Language): Record<string, unknown> => ({
  ...built,
  lang: language,
  shortcuts: shortcuts.map(({ url, name }) => ({ url, name: name[language], icons })),
});
