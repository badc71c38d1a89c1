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
import { fetchFirstData, makeRouter } from './routes.tsx';

export { fetchAhead } from './routes.tsx';
export { FirstFrame } from './shell/FirstFrame.tsx';

giveStylesTheNonce();

/** How long the first drawing waits for its data. */
const firstDataMs = 400;

/** The console, once its first screen is there to be drawn. */
export const openConsole = async (): Promise<ComponentType> => {
  hearOtherTabs();
  const router = makeRouter();
  const firstData = fetchFirstData(window.location);
  // A router that loads while it is drawn draws its screen in one long task.
  await router.load();
  // A screen that is drawn without its data is drawn a second time.
  await Promise.race([firstData, new Promise((resolve) => window.setTimeout(resolve, firstDataMs))]);
  return () => (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider localeOf={(language) => antdLocales.get(language)}>
        <FaultNotices />
        <RouterProvider router={router} />
      </ThemeProvider>
    </QueryClientProvider>
  );
};
