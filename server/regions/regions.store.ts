import type { ReplyOf } from '#contract/endpoint.ts';
import type { sessionEndpoints } from '#contract/session.ts';
import type { Db } from '#database/connect.ts';

type Region = ReplyOf<typeof sessionEndpoints.regions>[number];

const all = (pid: number | null): Region => ({
  id: '',
  pid,
  name: 'all',
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

/** Provinces with their cities and districts nested in `city`; at each level an entry 'all' with an empty id comes first. */
export const regionTree = async (db: Db): Promise<Region[]> => {
  const rows = await db.selectFrom('regions').selectAll().orderBy('id').execute();
  const children = new Map<number | null, typeof rows>();
  for (const row of rows) children.set(row.pid, [...(children.get(row.pid) ?? []), row]);
  const level = (pid: number | null): Region[] => {
    const here = children.get(pid) ?? [];
    if (here.length === 0) return [];
    return [all(pid), ...here.map(({ path, approximate, ...row }) => ({ ...row, city: level(row.id) }))];
  };
  return level(null);
};
