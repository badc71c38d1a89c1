import { MenuOutlined, SearchOutlined } from '@ant-design/icons';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Button, Drawer, Grid, Layout } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { startLive } from '../../api/live.ts';
import { FloodBanner } from '../../features/popups/FloodBanner.tsx';
import { PopupQueue } from '../../features/popups/PopupQueue.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { AboutBox } from './AboutBox.tsx';
import { AlarmBell } from './AlarmBell.tsx';
import { KeySheet } from './KeySheet.tsx';
import { LinkBadge } from './LinkBadge.tsx';
import { MainMenu } from './MainMenu.tsx';
import { Palette } from './Palette.tsx';
import './shell.css';
import { UserMenu } from './UserMenu.tsx';
import { useAppUpdate } from './use-app-update.tsx';
import { useKeys } from './use-keys.ts';

export type Sheet = 'none' | 'palette' | 'keys' | 'about';

/** The frame around every screen. */
export const Shell = () => {
  const { t } = useTranslation('shell');
  const wide = Grid.useBreakpoint().lg ?? true;
  const [menuOpen, setMenuOpen] = useState(false);
  const [sheet, setSheet] = useState<Sheet>('none');
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useAppUpdate();
  useKeys({ onPalette: () => setSheet('palette'), onKeys: () => setSheet('keys') });
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the drawer
  useEffect(() => setMenuOpen(false), [pathname]);

  const client = useQueryClient();
  useEffect(() => startLive(() => void client.invalidateQueries()), [client]);

  const close = () => setSheet('none');
  return (
    <Layout className="shell">
      <a className="skip-link" href="#main">
        {t(($) => $.skip)}
      </a>
      <header className="shell-bar">
        {!wide && (
          <Button
            type="text"
            icon={<MenuOutlined />}
            aria-label={t(($) => $.openMenu)}
            onClick={() => setMenuOpen(true)}
          />
        )}
        <PathLink to={paths.datascreen} className="shell-name">
          <img src="/favicon.svg" alt="" width="22" height="22" />
          <span>Ampwatch</span>
        </PathLink>
        <Button
          className="shell-search"
          icon={<SearchOutlined />}
          aria-label={t(($) => $.palette.open)}
          onClick={() => setSheet('palette')}
        >
          {wide && (
            <>
              <span className="shell-search-word">{t(($) => $.palette.open)}</span>
              <kbd>Ctrl K</kbd>
            </>
          )}
        </Button>
        <span className="shell-gap" />
        <LinkBadge />
        <AlarmBell />
        <UserMenu onKeys={() => setSheet('keys')} onAbout={() => setSheet('about')} />
      </header>
      <div className="shell-body">
        {wide && (
          <nav className="shell-side" aria-label={t(($) => $.navigation)}>
            <MainMenu />
          </nav>
        )}
        <main id="main" className="shell-main" tabIndex={-1}>
          <FloodBanner />
          <Outlet />
        </main>
      </div>
      <Drawer
        open={menuOpen && !wide}
        onClose={() => setMenuOpen(false)}
        placement="left"
        size={280}
        title="Ampwatch"
      >
        <nav aria-label={t(($) => $.navigation)}>
          <MainMenu />
        </nav>
      </Drawer>
      <PopupQueue />
      <Palette open={sheet === 'palette'} onClose={close} />
      <KeySheet open={sheet === 'keys'} onClose={close} />
      <AboutBox open={sheet === 'about'} onClose={close} />
    </Layout>
  );
};
