import { useRouter } from '@tanstack/react-router';
import { type ComponentType, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { limits } from '#contract/limits.ts';
import { useSignedIn } from '#web/api/session.ts';
import { settingsPages, settingsPath, settingsTarget } from './menu.ts';

/**
 * Guards a settings address: a user without its letter is redirected to the first permitted page, after the
 * set delay.
 */
export const SettingsDoor = ({ asked, page: Page }: { asked: string; page: ComponentType | null }) => {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const session = useSignedIn();
  const target = settingsTarget(asked, session);
  const known = settingsPages.find(({ path }) => path === asked);
  const isHere = Page !== null && known !== undefined && target === settingsPath(known);

  useEffect(() => {
    if (isHere) return;
    const timer = window.setTimeout(() => router.history.replace(target), limits.menuRedirectMs);
    return () => window.clearTimeout(timer);
  }, [isHere, target, router]);

  return isHere && Page ? <Page /> : <p role="status">{t(($) => $.leadingOn)}</p>;
};
