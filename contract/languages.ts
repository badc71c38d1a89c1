export const languages = ['zh-CN', 'en-US', 'ru-RU'] as const;
export type Language = (typeof languages)[number];
const defaultLanguage: Language = 'zh-CN';
export const languageCookie = 'language';

/** A text in every language. */
export type Words = Readonly<Record<Language, string>>;
export const words = (chinese: string, english: string, russian: string): Words => ({
  'zh-CN': chinese,
  'en-US': english,
  'ru-RU': russian,
});

/** Text between a label and its value. The Chinese colon is full-width and needs no space. */
export const colonIn = (language: string): string => (language === 'zh-CN' ? '：' : ': ');

/**
 * Tags of an Accept-Language header, the most preferred first, without those of weight 0. RFC 9110, §12.5.4.
 */
const offersOf = (acceptLanguage: string): string[] =>
  acceptLanguage
    .split(',', 50)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((text) => /^q=/i.test(text))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);

/** Picks the saved language, else the most preferred supported one, by primary tag ('ru' is ru-RU). */
export const languageFrom = (saved: string | undefined, acceptLanguage: string | undefined): Language => {
  for (const offer of [saved ?? '', ...offersOf(acceptLanguage ?? '')]) {
    const tag = offer.trim().slice(0, 2).toLowerCase();
    const match = tag && languages.find((language) => language.startsWith(tag));
    if (match) return match;
  }
  return defaultLanguage;
};
