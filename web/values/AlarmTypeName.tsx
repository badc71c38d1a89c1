import { useTranslation } from 'react-i18next';
import { alarmNames } from '#contract/alarm-names.ts';
import type { Language } from '#contract/languages.ts';

/** Name of an alarm type in a language; a site's own type is shown by its number. */
export const alarmTypeName = (code: number, language: string): string =>
  alarmNames[language as Language]?.[code] ?? String(code);

export const AlarmTypeName = ({ code }: { code: number }) => {
  const { i18n } = useTranslation();
  return <span>{alarmTypeName(code, i18n.language)}</span>;
};
