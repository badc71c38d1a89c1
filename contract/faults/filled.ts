import { alarmName } from '../alarm-names.ts';
import type { Language } from '../languages.ts';
import type { FaultEntry } from './table.ts';

const alarmsNamed = (codes: string | number, language: Language): string =>
  String(codes)
    .split(', ')
    .map((code) => alarmName(language, Number(code)))
    .join(', ');

/** The sentence with its parameters filled in; an unknown one is '…'. `types` are alarm type codes, shown as names. */
export const filled = (
  entry: FaultEntry,
  language: Language,
  parameters: Readonly<Record<string, string | number>> = {},
): string =>
  entry[language].replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = parameters[name] ?? '…';
    return name === 'types' && /^\d+(, \d+)*$/.test(String(value))
      ? alarmsNamed(value, language)
      : String(value);
  });
