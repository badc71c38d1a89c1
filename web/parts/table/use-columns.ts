import { changePrefs, usePrefs } from '#web/theme/prefs.ts';
import type { DataColumn } from './types.ts';

/** The visible columns: the reader's choice from their preferences, else the default ones. */
export const useColumns = <Row>(id: string, columns: readonly DataColumn<Row>[]) => {
  const kept = usePrefs((prefs) => prefs.columns[id]);
  const chosen = columns
    .filter(({ key, hidden, required }) => required || (kept ? kept.includes(key) : !hidden))
    .map(({ key }) => key);
  return {
    chosen,
    shown: columns.filter(({ key }) => chosen.includes(key)),
    choose: (keys: string[]) => changePrefs({ columns: { [id]: keys } }),
  };
};
