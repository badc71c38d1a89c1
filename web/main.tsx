import { arrival } from './features/sign-in/arrival.ts';
import './theme/base.css';
import { lazy, StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { dropCookie, readCookie, writeCookie } from './api/cookies.ts';
import { ensureSession } from './api/session.ts';
import { consoleWords } from './app/console-words.ts';
import { Door } from './features/sign-in/Door.tsx';
import { addWords, startLanguage } from './i18n/i18n.ts';
import { landingOf } from './parts/paths.ts';
import { startTheme } from './theme/prefs.ts';

/** Marks that a session was opened here; the session itself is in a cookie that scripts cannot read. */
const hintCookie = 'signed_in';

const signInWords = {
  'zh-CN': () => import('./features/sign-in/words/zh-CN.ts'),
  'en-US': () => import('./features/sign-in/words/en-US.ts'),
  'ru-RU': () => import('./features/sign-in/words/ru-RU.ts'),
};

const openConsole = async () => {
  const [{ Console }] = await Promise.all([import('./app/Console.tsx'), addWords(consoleWords)]);
  return { default: Console };
};
const Console = lazy(openConsole);

const enter = (path: string) => {
  writeCookie(hintCookie, '1');
  window.history.replaceState(null, '', path);
};

const Ampwatch = ({ inside }: { inside: boolean }) => {
  const [entered, setEntered] = useState(inside);
  if (entered)
    return (
      <Suspense fallback={null}>
        <Console />
      </Suspense>
    );
  return (
    <Door
      arrival={arrival}
      onSignedIn={({ role }) => {
        enter((arrival.kind === 'form' && arrival.next) || landingOf(role));
        setEntered(true);
      }}
    />
  );
};

window.addEventListener('pagehide', () => window.localStorage.clear());
startTheme();
const returning = arrival.kind === 'form' && readCookie(hintCookie) !== undefined;
const isInside = arrival.kind === 'inside' || returning;
if (returning && arrival.kind === 'form') window.history.replaceState(null, '', arrival.next ?? '/home');
const worded = startLanguage(
  isInside ? consoleWords : async (language) => ({ signIn: (await signInWords[language]()).signIn }),
);
// The console, its first screen and the session load while the first words load; the session before any of them has run.
if (isInside) {
  ensureSession().catch(() => undefined);
  import('./app/Console.tsx')
    .then(({ fetchAhead }) => fetchAhead(window.location.pathname))
    .catch(() => undefined);
}
await worded;
if (!isInside) {
  dropCookie(hintCookie);
  const preload = () => void import('./app/Console.tsx');
  window.addEventListener('load', () => window.setTimeout(preload, 300), { once: true });
}
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Ampwatch inside={isInside} />
  </StrictMode>,
);
