import { type RawBuilder, sql } from 'kysely';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { allRegions, type NamedRegion, regionName } from '#contract/region-names.ts';
import type { sessionEndpoints } from '#contract/session.ts';
import type { Db } from '#database/connect.ts';

type Region = ReplyOf<typeof sessionEndpoints.regions>[number];

const all = (pid: number | null, language: Language): Region => ({
  id: '',
  pid,
  name: allRegions[language],
  latin: 'all',
  code: '',
  first: '',
  lat: null,
  lng: null,
  level: 0,
  merger_name: '',
  pinyin: '',
  region_code: '',
  shortname: '',
  zip_code: '',
  city: [],
});

/**
 * Provinces with their cities and districts nested in `city`; each level begins with an entry 'all' with an
 * empty id. `name` is in the reader's language; `merger_name`, `shortname` and `pinyin` are the official
 * Chinese ones.
 */
export const regionTree = async (db: Db, language: Language): Promise<Region[]> => {
  const rows = await db.selectFrom('regions').selectAll().orderBy('id').execute();
  const children = Map.groupBy(rows, ({ pid }) => pid);
  const level = (pid: number | null): Region[] => {
    const here = children.get(pid) ?? [];
    if (here.length === 0) return [];
    return [
      all(pid, language),
      ...here.map(({ path, approximate, ...row }) => ({
        ...row,
        name: regionName(row, language),
        city: level(row.id),
      })),
    ];
  };
  return level(null);
};

/** A region's names from the province down, for `regionPathText`; `pathColumn` contains its path. */
export const regionPath = (pathColumn: string): RawBuilder<NamedRegion[]> => sql<NamedRegion[]>`(
  select coalesce(json_agg(json_build_object('id', up.id, 'name', up.name, 'latin', up.latin)
    order by up.level), '[]')
  from regions up where up.id = any(string_to_array(trim(both '/' from ${sql.ref(pathColumn)}), '/')::int[]))`;
