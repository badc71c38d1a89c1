import { SearchOutlined } from '@ant-design/icons';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { askFrame } from '#web/api/frame.ts';
import { useIsCut } from '#web/api/link-state.ts';
import { startLive } from '#web/api/live.ts';
import { useSignedIn } from '#web/api/session.ts';
import { late } from '#web/parts/late.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useRoom } from '#web/theme/use-room.ts';
import { withWords } from '../feature.ts';
import { AlarmBell } from './AlarmBell.tsx';
import { LinkBadge, LinkStrip } from './LinkBadge.tsx';
import { MainMenu } from './MainMenu.tsx';
import { Mark } from './Mark.tsx';
import './shell.css';
import { UserMenu } from './UserMenu.tsx';
import { useKeys } from './use-keys.ts';

/** One file for everything that every screen shows after its page. */
const extras = () => import('./extras.ts');
const FloodBanner = late(async () => (await extras()).FloodBanner);
const JobDoor = late(async () => (await extras()).JobDoor);
const OutboxDoor = late(async () => (await extras()).OutboxDoor);
const PopupQueue = late(async () => (await extras()).PopupQueue);
const SoundButton = late(async () => (await extras()).SoundButton);
const Upkeep = late(async () => (await extras()).Upkeep);
const FirstStepsStrip = late(
  withWords(
    ['first-steps'],
    async () => (await import('#web/features/first-steps/FirstStepsStrip.tsx')).FirstStepsStrip,
  ),
);
const AboutBox = late(async () => (await import('./AboutBox.tsx')).AboutBox);
const KeySheet = late(
  withWords(['keys'], async () => (await import('#web/features/keys/KeySheet.tsx')).KeySheet),
);
const BottomBar = late(async () => (await import('./BottomBar.tsx')).BottomBar);
const Palette = late(withWords(['search'], async () => (await import('./Palette.tsx')).Palette));
const TwoStepDue = late(
  withWords(['profile'], async () => (await import('#web/features/profile/TwoStepDue.tsx')).TwoStepDue),
);
const PhoneMenu = late(async () => (await import('./PhoneMenu.tsx')).PhoneMenu);

type Sheet = 'none' | 'palette' | 'keys' | 'about';

/** The frame around every screen; if a second step is required, only its set-up. */
export const Shell = () => (useSignedIn().two_step_due ? <TwoStepDue /> : <Frame />);

const Frame = () => {
  const { t } = useTranslation('shell');
  // Runs before the parts of the frame below make their own calls.
  useState(askFrame);
  const { setting_up, last_event } = useSignedIn();
  // What was loaded may be as old as the first answer about the session.
  const [firstEvent] = useState(last_event);
  const wide = useRoom('sideMenu');
  const [menuOpen, setMenuOpen] = useState(false);
  const [sheet, setSheet] = useState<Sheet>('none');
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const isCut = useIsCut();
  useKeys({ onPalette: () => setSheet('palette'), onKeys: () => setSheet('keys') });
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the drawer
  useEffect(() => setMenuOpen(false), [pathname]);

  // On the body, because dialogs and drawers are beside the frame.
  useEffect(() => {
    document.body.classList.toggle('is-cut', isCut);
    return () => document.body.classList.remove('is-cut');
  }, [isCut]);
  const client = useQueryClient();
  useEffect(() => startLive(() => void client.invalidateQueries(), firstEvent), [client, firstEvent]);

  const close = () => setSheet('none');
  return (
    <div className={`shell${wide ? '' : ' has-foot'}`}>
      <a className="skip-link" href="#main">
        {t(($) => $.skip)}
      </a>
      <header className="shell-bar">
        <PathLink to={paths.datascreen} className="shell-name">
          <Mark />
          <span>Ampwatch</span>
        </PathLink>
        {wide && (
          <Button className="shell-search" icon={<SearchOutlined />} onClick={() => setSheet('palette')}>
            <span className="shell-search-word">{t(($) => $.palette.open)}</span>
            <kbd>Ctrl K</kbd>
          </Button>
        )}
        <LinkStrip />
        <LinkBadge />
        {wide && <AlarmBell />}
        <span className="shell-sound">
          <SoundButton />
        </span>
        <UserMenu onKeys={() => setSheet('keys')} onAbout={() => setSheet('about')} />
      </header>
      <div className="shell-body">
        {wide && (
          <nav className="shell-side" aria-label={t(($) => $.navigation)}>
            <MainMenu />
          </nav>
        )}
        <main id="main" className="shell-main" tabIndex={-1}>
          <div className="shell-page">
            <Outlet />
          </div>
          {/* Placed below the page, so that a late note does not move the content of the page. */}
          <div className="shell-notes">
            <FloodBanner />
            {setting_up && <FirstStepsStrip />}
            <JobDoor />
            <OutboxDoor />
          </div>
        </main>
      </div>
      <PopupQueue />
      <Upkeep />
      {!wide && <BottomBar onSearch={() => setSheet('palette')} onMenu={() => setMenuOpen(true)} />}
      {!wide && menuOpen && <PhoneMenu open onClose={() => setMenuOpen(false)} />}
      {sheet === 'palette' && (
        <Palette open onClose={close} onKeys={() => setSheet('keys')} onAbout={() => setSheet('about')} />
      )}
      {sheet === 'keys' && <KeySheet open onClose={close} />}
      {sheet === 'about' && <AboutBox open onClose={close} />}
    </div>
  );
};
