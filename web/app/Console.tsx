import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { hearOtherTabs } from '#web/api/live.ts';
import '#web/parts/parts.css';
import { giveStylesTheNonce } from '#web/theme/nonce.ts';
import { ThemeProvider } from '#web/theme/ThemeProvider.tsx';
import { antdLocales } from './console-words.ts';
import { FaultNotices } from './FaultNotices.tsx';
import { queryClient } from './query-client.ts';
import { makeRouter } from './routes.tsx';

export { fetchAhead } from './routes.tsx';
export { FirstFrame } from './shell/FirstFrame.tsx';

giveStylesTheNonce();

/** The console, once its first screen is there to be drawn. */
export const openConsole = async (): Promise<ComponentType> => {
  hearOtherTabs();
  const router = makeRouter();
  // A router that loads while it is drawn draws its screen in one long task.
  await router.load();
  return () => (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider localeOf={(language) => antdLocales.get(language)}>
        <FaultNotices />
        <RouterProvider router={router} />
      </ThemeProvider>
    </QueryClientProvider>
  );
};
