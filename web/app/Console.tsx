import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import '#web/parts/parts.css';
import { giveStylesTheNonce } from '#web/theme/nonce.ts';
import { ThemeProvider } from '#web/theme/ThemeProvider.tsx';
import { antdLocales } from './console-words.ts';
import { FaultNotices } from './FaultNotices.tsx';
import { queryClient } from './query-client.ts';
import { makeRouter } from './routes.tsx';

export { fetchAhead } from './routes.tsx';

giveStylesTheNonce();

export const Console = () => {
  const [router] = useState(makeRouter);
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider localeOf={(language) => antdLocales.get(language)}>
        <FaultNotices />
        <RouterProvider router={router} />
      </ThemeProvider>
    </QueryClientProvider>
  );
};
