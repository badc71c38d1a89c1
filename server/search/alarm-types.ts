import { sql } from 'kysely';
import { alarmCatalogue } from '#contract/alarm-catalogue.ts';
import { alarmName } from '#contract/alarm-names.ts';
import type { Language } from '#contract/languages.ts';
import { initialsOf } from '#contract/pinyin.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import type { Scope } from '#server/core/scope.ts';

/** Alarm types by a part of their name in the reader's language, its initials in pinyin or their code. */
export const alarmTypesNamed = async (
  db: Db,
  scope: Scope,
  { text, most, language, now }: { text: string; most: number; language: Language; now: number },
) => {
  const sought = text.toLowerCase();
  const codes = alarmCatalogue
    .map(({ code }) => code)
    .filter((code) => {
      const name = alarmName(language, code);
      const names = [name, ...(language === 'zh-CN' ? [initialsOf(name)] : [])];
      return String(code) === sought || names.some((each) => each.toLowerCase().includes(sought));
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
