import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import type { Arrival } from './arrival.ts';
import { Brand } from './Brand.tsx';
import './door.css';
import { LanguageButtons } from './LanguageButtons.tsx';
import { SignInForm } from './SignInForm.tsx';
import { type SignedIn, useSignIn } from './use-sign-in.ts';

/** The sign-in screen: only plain elements, so that it loads fast. */
export const Door = ({
  arrival,
  onSignedIn,
}: {
  arrival: Arrival;
  onSignedIn: (signedIn: SignedIn) => void;
}) => {
  const { t } = useTranslation('signIn');
  const signIn = useSignIn(onSignedIn);
  const tried = useRef(false);
  const { run } = signIn;

  useEffect(() => {
    document.title = `Ampwatch · ${t(($) => $.title)}`;
  }, [t]);
  useEffect(() => {
    if (tried.current) return;
    tried.current = true;
    if (arrival.kind === 'link')
      void run(() => call(sessionEndpoints.signInByLink, { link: arrival.link }, { quiet: true }));
    if (arrival.kind === 'auto')
      void run(() =>
        call(sessionEndpoints.autoSignIn, { user: arrival.user, pwd: arrival.pwd }, { quiet: true }),
      );
  }, [arrival, run]);
  const why = arrival.kind === 'form' ? arrival.why : undefined;

  return (
    <div className="door">
      <Brand />
      <main className="door-main">
        <LanguageButtons />
        <h1>{t(($) => $.title)}</h1>
        {why && (
          <p className="door-why" role="status">
            {t(($) => $.why[why])}
          </p>
        )}
        <SignInForm signIn={signIn} />
      </main>
    </div>
  );
};
