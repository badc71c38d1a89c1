import type { Language } from './languages.ts';

/** Names of the built-in roles by code. A renamed role keeps its new name. */
const names: Readonly<Record<number, Readonly<Record<Language, string>>>> = {
  1: { 'zh-CN': '平台管理员', 'en-US': 'Platform administrator', 'ru-RU': 'Администратор платформы' },
  2: { 'zh-CN': '区域管理员', 'en-US': 'Regional administrator', 'ru-RU': 'Региональный администратор' },
  3: { 'zh-CN': '项目管理员', 'en-US': 'Project administrator', 'ru-RU': 'Администратор объекта' },
  32: {
    'zh-CN': '项目区域管理员',
    'en-US': 'Project-regional administrator',
    'ru-RU': 'Администратор участков объекта',
  },
};

/** The name of a built-in role in a new installation. */
export const firstName = (code: number): string => names[code]?.['zh-CN'] ?? String(code);

/** A role's name for a reader: a built-in role that was not renamed has a name in each language. */
export const roleName = (code: number, name: string, language: Language): string => {
  const built = names[code];
  return built !== undefined && name === firstName(code) ? built[language] : name;
};
