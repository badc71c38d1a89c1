import { sql } from 'kysely';
import { alarmCatalogue } from '#contract/alarm-catalogue.ts';
import { alarmName } from '#contract/alarm-names.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import type { Scope } from '#server/core/scope.ts';
import { createPinyin, lettersOf, spokenOf, spokenPattern } from './pinyin.ts';

const read = createPinyin([]);

/** Alarm types by part of their name in the reader's language, pinyin, or code. */
export const alarmTypesNamed = async (
  db: Db,
  scope: Scope,
  { text, most, language, now }: { text: string; most: number; language: Language; now: number },
) => {
  const sought = text.toLowerCase();
  const letters = language === 'zh-CN' ? lettersOf(text) : null;
  const spoken = letters === null ? null : new RegExp(spokenPattern(letters));
  const codes = alarmCatalogue
    .map(({ code }) => code)
    .filter((code) => {
      const name = alarmName(language, code);
      return (
        String(code) === sought || name.toLowerCase().includes(sought) || spoken?.test(spokenOf(read(name)))
      );
    })
    .slice(0, most);
  if (codes.length === 0) return [];
  const { rows } = await sql<{ code: number; waiting: number }>`
    select a.code, count(*)::int as waiting from shown_alarms(${new Date(now)}) a
    where a.code = any(${codes}::smallint[]) and a.handled_at is null and ${alarmsInScope(scope)}
    group by a.code`.execute(db);
  const waiting = new Map(rows.map((row) => [row.code, row.waiting]));
  return codes.map((code) => ({ typeNumber: code, unprocessed: waiting.get(code) ?? 0 }));
};
