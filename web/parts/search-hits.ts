import { alarmName } from '#contract/alarm-names.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { type SearchGroup, type searchEndpoints, searchGroups } from '#contract/search.ts';
import { paths } from './paths.ts';

export type Found = ReplyOf<typeof searchEndpoints.find>;
interface SearchHit {
  key: string;
  group: SearchGroup;
  title: string;
  note: string;
  path: string;
}
const joined = (...parts: (string | number)[]): string => parts.filter((part) => part !== '').join(' · ');

/** A number of items, in words. */
export interface CountWords {
  waiting: (count: number) => string;
  projects: (count: number) => string;
}
/** The hits, by group, each with its link. */
export const hitsOf = (found: Found, language: Language, words: CountWords): SearchHit[] => {
  const hits: Record<SearchGroup, Omit<SearchHit, 'group'>[]> = {
    projects: found.projects.map((row) => ({
      key: `project-${row.project_id}`,
      title: row.name,
      note: joined(row.address, row.contact_name, row.contact_phone),
      path: paths.projectView(row.project_id),
    })),
    devices: found.devices.map((row) => ({
      key: `device-${row.device_id}`,
      title: row.number,
      note: joined(row.name, row.project_name),
      path: paths.device(row.device_id),
    })),
    lines: found.lines.map((row) => ({
      key: `line-${row.line_id}`,
      title: row.name,
      note: joined(row.device_number, row.n, row.project_name),
      path: paths.line(row),
    })),
    alarms: found.alarms.map((row) => ({
      key: `alarm-${row.id}`,
      title: row.work_order,
      note: joined(alarmName(language, row.typeNumber), row.device_number, row.project_name),
      path: paths.alarm(row.id),
    })),
    alarm_types: found.alarm_types.map((row) => ({
      key: `type-${row.typeNumber}`,
      title: alarmName(language, row.typeNumber),
      note: words.waiting(row.unprocessed),
      path: paths.alarmList({ status: 'unprocessed', typeNumber: row.typeNumber }),
    })),
    regions: found.regions.map((row) => ({
      key: `region-${row.region_id}`,
      title: row.name,
      note: words.projects(row.projects),
      path: paths.projectList({ region_id: row.region_id }),
    })),
    people: found.people.map((row) => ({
      key: `user-${row.user_id}`,
      title: row.nickname || row.username,
      note: joined(row.username, row.mobile),
      path: paths.users(row.username),
    })),
    persons: found.persons.map((row) => ({
      key: `person-${row.person_id}`,
      title: row.name,
      note: joined(row.mobile, row.position),
      path: paths.personnel(row.name),
    })),
  };
  return searchGroups.flatMap((group) => hits[group].map((hit) => ({ ...hit, group })));
};
