import type { Language } from '#contract/languages.ts';

/** Each language in its own language. */
export const ownNames: Record<Language, string> = { 'zh-CN': '中文', 'en-US': 'English', 'ru-RU': 'Русский' };
