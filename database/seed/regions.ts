import { readFileSync } from 'node:fs';
import type { Selectable } from 'kysely';
import type { RegionsTable } from '#database/tables/directory.ts';

/** A whole row of `regions`, ready to be inserted. */
type RegionSeed = Selectable<RegionsTable>;

/** id, pid, level, name, shortname, pinyin, latin, lat, lng, approximate: the source of the other columns. */
type Row = [number, number | null, number, string, string, string, string, number, number, 0 | 1];

/**
 * The administrative units of China, parents before children. `id` and `code` are the six digits of GB/T 2260;
 * `region_code` is its twelve-digit statistical form. `approximate` marks a point inherited from the parent.
 */
export const readRegions = (): RegionSeed[] => {
  const rows = JSON.parse(readFileSync(new URL('./regions.json', import.meta.url), 'utf8')) as Row[];
  const known = new Map<number, RegionSeed>();
  for (const [id, pid, level, name, shortname, pinyin, latin, lat, lng, approximate] of rows) {
    const parent = pid === null ? undefined : known.get(pid);
    if (pid !== null && !parent) throw new Error(`region ${id}: its parent ${pid} does not come before it`);
    known.set(id, {
      id,
      pid,
      level,
      name,
      shortname,
      pinyin,
      latin,
      lat,
      lng,
      approximate: approximate === 1,
      code: String(id),
      region_code: `${id}000000`,
      first: pinyin.slice(0, 1).toUpperCase(),
      merger_name: parent ? `${parent.merger_name},${name}` : name,
      path: `${parent?.path ?? '/'}${id}/`,
      zip_code: '',
    });
  }
  return [...known.values()];
};
