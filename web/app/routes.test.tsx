import { RouterProvider } from '@tanstack/react-router';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { startLanguage } from '#web/i18n/i18n.ts';
import { makeRouter } from './routes.tsx';
import { shell } from './shell/words/en-US.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  window.history.replaceState(null, '', '/');
});

test.each(['/home/nothing', '/home/nothing/at/all'])(
  '%s leads to the sign-in if there is no session',
  async (address) => {
    const asked: string[] = [];
    let refuse = (_answer: Response) => {};
    vi.stubGlobal('fetch', (path: string) => {
      asked.push(path);
      return new Promise<Response>((resolve) => {
        refuse = resolve;
      });
    });
    await startLanguage(async () => ({ shell }));
    window.history.replaceState(null, '', address);
    render(<RouterProvider router={makeRouter()} />);
    await waitFor(() => expect(asked).toContain('/sign_user/check_login'));
    expect(screen.queryByText(shell.missing.title)).toBeNull();
    refuse(new Response(JSON.stringify({ code: 50008, msg: 'Sign in', data: null }), { status: 401 }));
    await waitFor(() => expect(document.cookie).not.toContain('signed_in'));
    expect(screen.queryByText(shell.missing.title)).toBeNull();
  },
);
