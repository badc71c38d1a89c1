import { MenuOutlined, SearchOutlined } from '@ant-design/icons';
import { useRouterState } from '@tanstack/react-router';
import { createElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignedIn } from '#web/api/session.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useAsOf } from '#web/values/use-as-of.ts';
import { homePath, homeScreensFor, parentOf } from '../menu.ts';
import './bottom-bar.css';
import { useUnprocessed } from './use-unprocessed.ts';

/**
 * The entries in the order that an operator on the move needs: the alarm list comes first, under the thumb.
 */
const places = ['alarmList', 'datascreen', 'devicelist', 'projectlist'] as const;
/**
 * Of devices and projects only the first one in the reader's menu, because the bar has room for three
 * entries.
 */
const shownPlaces = 3;
const most = 99;

/** The main navigation on a phone: at the bottom, near the thumb. */
export const BottomBar = ({ onSearch, onMenu }: { onSearch: () => void; onMenu: () => void }) => {
  const { t } = useTranslation('shell');
  const { role } = useSignedIn();
  const here = parentOf(useRouterState({ select: ({ location }) => location.pathname }), role);
  const count = useUnprocessed();
  const asOf = useAsOf();
  const name = count === undefined ? t(($) => $.bell.unknown) : asOf(t(($) => $.bell.label, { count }));
  const screens = homeScreensFor(role);
  const shown = places.flatMap((key) => screens.filter((screen) => screen.key === key)).slice(0, shownPlaces);
  return (
    <nav className="bottom-bar" aria-label={t(($) => $.bottomBar)}>
      {shown.map(({ key, icon }) => {
        const isAlarms = key === 'alarmList';
        return (
          <PathLink
            key={key}
            className="bottom-place"
            to={isAlarms ? paths.alarmList({ status: 'unprocessed' }) : homePath(key)}
            {...(here === homePath(key) ? { 'aria-current': 'page' } : {})}
          >
            <Place
              icon={icon && createElement(icon)}
              word={t(($) => $.menu[key])}
              {...(isAlarms ? { name } : {})}
            >
              {isAlarms && count !== 0 && (
                <span className={`bottom-count${count === undefined ? ' is-unknown' : ''}`}>
                  {count === undefined ? '—' : count > most ? `${most}+` : count}
                </span>
              )}
            </Place>
          </PathLink>
        );
      })}
      <button type="button" className="bottom-place" aria-haspopup="dialog" onClick={onSearch}>
        <Place icon={<SearchOutlined />} word={t(($) => $.menu.search)} />
      </button>
      <button type="button" className="bottom-place" aria-haspopup="dialog" onClick={onMenu}>
        <Place icon={<MenuOutlined />} word={t(($) => $.menuWord)} />
      </button>
    </nav>
  );
};

/** `name`: text for screen readers instead of the label. */
const Place = ({
  icon,
  word,
  name,
  children,
}: {
  icon: ReactNode;
  word: string;
  name?: string;
  children?: ReactNode;
}) => (
  <>
    <span className="bottom-icon" aria-hidden="true">
      {icon}
      {children}
    </span>
    <span className="bottom-word" {...(name === undefined ? {} : { 'aria-hidden': true })}>
      {word}
    </span>
    {name !== undefined && <span className="out-of-sight">{name}</span>}
  </>
);
