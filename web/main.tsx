import { arrival } from './features/sign-in/arrival.ts';
import './theme/base.css';
import { StrictMode, startTransition } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { dropCookie, readCookie, writeCookie } from './api/cookies.ts';
import { ensureSession, hintCookie } from './api/session.ts';
import { consoleWords } from './app/console-words.ts';
import { Door } from './features/sign-in/Door.tsx';
import { addWords, currentLanguage, startLanguage } from './i18n/i18n.ts';
import { landingOf, paths } from './parts/paths.ts';
import { startTheme } from './theme/prefs.ts';

const signInWords = {
  'zh-CN': () => import('./features/sign-in/words/zh-CN.ts'),
  'en-US': () => import('./features/sign-in/words/en-US.ts'),
  'ru-RU': () => import('./features/sign-in/words/ru-RU.ts'),
};

const enter = (path: string) => {
  writeCookie(hintCookie, '1');
  window.history.replaceState(null, '', path);
};

const root = createRoot(document.getElementById('root')!);
const hasSession = () =>
  ensureSession().then(
    () => true,
    () => false,
  );
/**
 * Shows the frame as soon as there is a session, and then the screen, in a drawing that keys and clicks interrupt.
 * `entered`: the address of who has just signed in.
 */
const showConsole = async (entered?: string) => {
  const [{ FirstFrame, openConsole }] = await Promise.all([
    import('./app/Console.tsx'),
    addWords(consoleWords),
  ]);
  const showFrame = () => flushSync(() => root.render(<FirstFrame />));
  if (entered !== undefined) {
    showFrame();
    enter(entered);
  }
  const opened = openConsole();
  if (entered === undefined && (await hasSession())) showFrame();
  const Console = await opened;
  startTransition(() =>
    root.render(
      <StrictMode>
        <Console />
      </StrictMode>,
    ),
  );
};
const showDoor = () => {
  root.render(
    <StrictMode>
      <Door
        arrival={arrival}
        onSignedIn={({ role }) =>
          void showConsole((arrival.kind === 'form' && arrival.next) || landingOf(role))
        }
      />
    </StrictMode>,
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
if (isInside) void showConsole();
else {
  dropCookie(hintCookie);
  showDoor();
  // The console and the screen that follows load while the name and the password are typed.
  const first = (arrival.kind === 'form' && arrival.next) || paths.datascreen;
  const preload = async () => {
    const [{ fetchAhead }] = await Promise.all([
      import('./app/Console.tsx'),
      consoleWords(currentLanguage()),
    ]);
    fetchAhead(new URL(first, window.location.href).pathname);
  };
  const start = () => window.setTimeout(() => void preload().catch(() => undefined), 300);
  // The words may come after the load event.
  if (document.readyState === 'complete') start();
  else window.addEventListener('load', start, { once: true });
}
