import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { initialsOf } from '#contract/pinyin.ts';
import { isSearchable, type SearchGroup, searchEndpoints, searchGroups } from '#contract/search.ts';
import { keptQuery } from '#web/api/query.ts';
import type { Session } from '#web/api/session.ts';
import { useCountWords } from '#web/features/search/use-count-words.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { paths } from '#web/parts/paths.ts';
import { hitsOf } from '#web/parts/search-hits.ts';
import { homePath, homeScreens, settingsFor, settingsPath } from '../menu.ts';
import type { Hit } from './hit.ts';
import { type PaletteActs, useActions } from './use-actions.ts';

interface HitGroup {
  group: SearchGroup | 'screens' | 'actions';
  hits: readonly Hit[];
}
const most = 5;

/** Whether a title contains the text, directly or by its first letters in pinyin. */
const fits = (title: string, sought: string): boolean =>
  title.toLowerCase().includes(sought) || initialsOf(title).includes(sought);

/** The palette's hits for a text, in groups: screens and actions at once, the rest by the server's search. */
export const useHits = (text: string, session: Session, acts: PaletteActs): readonly HitGroup[] => {
  const { t } = useTranslation('shell');
  const { t: ts } = useTranslation('search');
  const words = useCountWords();
  const sought = useDeferredValue(text.trim());
  const { data } = useQuery({
    ...keptQuery(searchEndpoints.find, { text: sought, limit: most }),
    enabled: isSearchable(sought),
  });
  const found = isSearchable(sought) ? data : undefined;
  const typed = text.trim().toLowerCase();
  const screens: Hit[] = [
    ...homeScreens
      .filter(({ inMenu }) => inMenu !== 'nobody')
      .map(({ key }) => ({ title: t(($) => $.menu[key]), path: homePath(key) })),
    ...settingsFor(session).map((page) => ({
      title: t(($) => $.settings[page.path as 'operationlog']),
      path: settingsPath(page),
    })),
  ]
    .filter(({ title }) => fits(title, typed))
    .map((screen) => ({ ...screen, key: screen.path, note: '' }));
  const actions = useActions(found, session, acts);
  const general = actions.general.filter(({ title }) => fits(title, typed));
  const all: Hit[] =
    found === undefined || found.more.length === 0
      ? []
      : [
          {
            key: 'all',
            title: ts(($) => $.action.all, { text: sought }),
            note: '',
            path: paths.search(sought),
          },
        ];
  const hits = found ? hitsOf(found, currentLanguage(), words) : [];
  return [
    ...searchGroups.map((group) => ({ group, hits: hits.filter((hit) => hit.group === group) })),
    { group: 'screens' as const, hits: screens },
    { group: 'actions' as const, hits: [...all, ...actions.ofFound, ...general] },
  ].filter((each) => each.hits.length > 0);
};
