import { sql } from 'kysely';
import type { Language } from '#contract/languages.ts';
import { type NamedRegion, regionPathText } from '#contract/region-names.ts';
import type { Db } from '#database/connect.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { projectInScope, type Scope } from '#server/core/scope.ts';
import { createPinyin, lettersOf, spokenOf, spokenPattern } from './pinyin.ts';

interface Place extends NamedRegion {
  pinyin: string;
  shortname: string;
  pid: number | null;
  projects: number;
}

/** Regions with projects in scope, each with their number; few rows, however many projects there are. */
const placesOf = async (db: Db, scope: Scope): Promise<Place[]> => {
  const { rows } = await sql<Place>`
    select region.id, region.pid, region.name, region.latin, region.pinyin, region.shortname,
      used.projects
    from (
      select unnest(string_to_array(trim(both '/' from at.path), '/')::int[]) as id, sum(here.projects)::int as projects
      from (
        select projects.region_id, count(*) as projects from projects
        where ${notDeleted('projects')} and ${projectInScope(scope, 'projects.id')}
        group by projects.region_id) here
      join regions at on at.id = here.region_id
      group by 1) used
    join regions region on region.id = used.id
    order by region.level, region.id`.execute(db);
  return rows;
};

/** Regions whose name contains the text: in the reader's language, in Chinese, in pinyin or its initials. */
export const placesNamed = async (
  db: Db,
  scope: Scope,
  { text, most, language }: { text: string; most: number; language: Language },
) => {
  const places = await placesOf(db, scope);
  const byId = new Map(places.map((place) => [place.id, place]));
  const upFrom = (place: Place): Place[] => {
    const above = place.pid === null ? undefined : byId.get(place.pid);
    return above ? [...upFrom(above), place] : [place];
  };
  const read = createPinyin(places.map(({ shortname, pinyin }) => ({ name: shortname, pinyin })));
  const sought = text.toLowerCase();
  const letters = lettersOf(text);
  const spoken = letters === null ? null : new RegExp(spokenPattern(letters));
  return places
    .filter(
      (place) =>
        [regionPathText([place], language), place.name, place.latin, place.pinyin].some((name) =>
          name.toLowerCase().includes(sought),
        ) || spoken?.test(spokenOf(read(place.shortname))),
    )
    .slice(0, most)
    .map((place) => ({
      region_id: place.id,
      name: regionPathText(upFrom(place), language),
      projects: place.projects,
    }));
};
