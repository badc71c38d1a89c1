import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { type SearchGroup, searchEndpoints, shortestSearch } from '#contract/search.ts';
import { endpointQuery } from '../../api/query.ts';
import type { Session } from '../../api/session.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { paths } from '../../parts/paths.ts';
import { hitsOf } from '../../parts/search-hits.ts';
import { homePath, homeScreens, settingsFor, settingsPath } from '../menu.ts';

export interface Hit {
  key: string;
  kind: 'screen' | 'project' | 'device' | 'line' | 'alarm' | 'person' | 'all';
  title: string;
  note: string;
  path: string;
}
const kindOf: Record<SearchGroup, Hit['kind']> = {
  projects: 'project',
  devices: 'device',
  lines: 'line',
  alarms: 'alarm',
  people: 'person',
};
const most = 5;

/** What the palette finds for a text: screens at once, the rest by the server's search. */
export const useHits = (text: string, session: Session): readonly Hit[] => {
  const { t } = useTranslation('shell');
  const sought = useDeferredValue(text.trim());
  const found = useQuery({
    ...endpointQuery(searchEndpoints.find, { text: sought, limit: most }),
    enabled: sought.length >= shortestSearch,
    placeholderData: keepPreviousData,
  });
  const screens: Hit[] = [
    ...homeScreens
      .filter(({ inMenu }) => inMenu !== 'nobody')
      .map(({ key }) => ({ title: t(($) => $.menu[key]), path: homePath(key) })),
    ...settingsFor(session).map((page) => ({
      title: t(($) => $.settings[page.path as 'operationlog']),
      path: settingsPath(page),
    })),
  ]
    .filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()))
    .map((screen) => ({ ...screen, key: screen.path, kind: 'screen', note: '' }));
  if (sought.length < shortestSearch || !found.data) return screens;
  const hits = hitsOf(found.data, currentLanguage()).map(
    ({ group, ...hit }): Hit => ({ ...hit, kind: kindOf[group] }),
  );
  const all: Hit[] =
    found.data.more.length === 0
      ? []
      : [
          {
            key: 'all',
            kind: 'all',
            title: t(($) => $.palette.all),
            note: sought,
            path: paths.search(sought),
          },
        ];
  return [...hits, ...screens, ...all];
};
