import type { Language } from './languages.ts';

type InEach = Readonly<Record<Language, string>>;
interface Words {
  name: InEach;
  description: InEach;
}

/** Names of the built-in roles, by code. A name that an administrator has changed is shown unchanged. */
const words: Readonly<Record<number, Words>> = {
  1: {
    name: { 'zh-CN': '平台管理员', 'en-US': 'Platform administrator', 'ru-RU': 'Администратор платформы' },
    description: { 'zh-CN': '全部权限', 'en-US': 'All permissions', 'ru-RU': 'Все права' },
  },
  2: {
    name: { 'zh-CN': '区域管理员', 'en-US': 'Regional administrator', 'ru-RU': 'Региональный администратор' },
    description: {
      'zh-CN': '所辖区域内的项目',
      'en-US': 'Projects of the user’s region',
      'ru-RU': 'Объекты региона пользователя',
    },
  },
  3: {
    name: { 'zh-CN': '项目管理员', 'en-US': 'Project administrator', 'ru-RU': 'Администратор объекта' },
    description: { 'zh-CN': '所属项目', 'en-US': 'The user’s project', 'ru-RU': 'Объект пользователя' },
  },
  32: {
    name: {
      'zh-CN': '项目区域管理员',
      'en-US': 'Project-regional administrator',
      'ru-RU': 'Администратор участков объекта',
    },
    description: {
      'zh-CN': '所属项目的部分区域',
      'en-US': 'Parts of the user’s project',
      'ru-RU': 'Участки объекта пользователя',
    },
  },
};

const firstOf = (key: keyof Words, code: number) => words[code]?.[key]['zh-CN'] ?? String(code);
const shown = (key: keyof Words, code: number, stored: string, language: Language): string =>
  stored === firstOf(key, code) ? (words[code]?.[key][language] ?? stored) : stored;

/** The name of a built-in role in a new installation. */
export const firstName = (code: number): string => firstOf('name', code);
/** Its description. */
export const firstDescription = (code: number): string => firstOf('description', code);

/** A role's name for a reader: a built-in role that was not renamed has a name in each language. */
export const roleName = (code: number, name: string, language: Language): string =>
  shown('name', code, name, language);
/** A role's description for a reader, by the same rule as its name. */
export const roleDescription = (code: number, description: string, language: Language): string =>
  shown('description', code, description, language);
