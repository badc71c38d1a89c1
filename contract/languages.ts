export const languages = ['zh-CN', 'en-US', 'ru-RU'] as const;
export type Language = (typeof languages)[number];
export const defaultLanguage: Language = 'zh-CN';
export const languageCookie = 'language';

/** Picks the first offered language that we speak, by primary tag ('ru' is ru-RU). */
export const languageFrom = (saved: string | undefined, acceptLanguage: string | undefined): Language => {
  const offers = [saved ?? '', ...(acceptLanguage ?? '').split(',').map((part) => part.split(';')[0] ?? '')];
  for (const offer of offers) {
    const tag = offer.trim().slice(0, 2).toLowerCase();
    const match = tag && languages.find((language) => language.startsWith(tag));
    if (match) return match;
  }
  return defaultLanguage;
};
