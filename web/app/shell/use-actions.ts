import { useTranslation } from 'react-i18next';
import { languages } from '#contract/languages.ts';
import { type Session, signOut } from '#web/api/session.ts';
import { setLanguage } from '#web/i18n/i18n.ts';
import { ownNames } from '#web/i18n/own-names.ts';
import { paths } from '#web/parts/paths.ts';
import type { Found } from '#web/parts/search-hits.ts';
import { changePrefs } from '#web/theme/prefs.ts';
import type { Hit } from './hit.ts';

/** Actions that the frame itself performs. */
export interface PaletteActs {
  onKeys: () => void;
  onAbout: () => void;
}

/**
 * The actions of the palette: those for each found device, and general ones. An action to switch a line only
 * opens its dialog.
 */
export const useActions = (
  found: Found | undefined,
  { permissions }: Session,
  { onKeys, onAbout }: PaletteActs,
): { ofFound: Hit[]; general: Hit[] } => {
  const { t } = useTranslation('shell');
  const { t: ts } = useTranslation('search');
  const maySwitch = permissions.includes('line.switch');
  const note = '';
  const ofFound = (found?.devices ?? []).slice(0, 1).flatMap(({ device_id, number, name }): Hit[] => {
    const of = { name: name || number };
    const lines = (onekey: 'open' | 'close') => paths.device(device_id, { tab: 'lines', onekey });
    return [
      ...(maySwitch
        ? [
            { key: 'open-all', title: ts(($) => $.switch.openAll, of), note, path: lines('open') },
            { key: 'close-all', title: ts(($) => $.switch.closeAll, of), note, path: lines('close') },
          ]
        : []),
      { key: 'codes', title: ts(($) => $.action.codes, of), note, path: paths.panelCodes({ device_id }) },
    ];
  });
  const general: Hit[] = [
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      ...{ key: theme, title: ts(($) => $.action[theme]), note },
      run: () => changePrefs({ theme }),
    })),
    ...languages.map((language) => ({
      ...{ key: language, title: ts(($) => $.action.language, { name: ownNames[language] }), note },
      run: () => {
        void setLanguage(language);
        changePrefs({ language });
      },
    })),
    { key: 'keys', title: t(($) => $.user.keys), note, run: onKeys },
    { key: 'about', title: t(($) => $.about.title), note, run: onAbout },
    { key: 'out', title: t(($) => $.user.signOut), note, run: () => void signOut() },
  ];
  return { ofFound, general };
};
