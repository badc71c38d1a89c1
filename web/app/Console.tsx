import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import dayjs from 'dayjs';
import { useEffect, useState } from 'react';
import { makeQueryClient } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import '../parts/parts.css';
import { blockZoom } from '../theme/block-zoom.ts';
import { giveStylesTheNonce } from '../theme/nonce.ts';
import { ThemeProvider } from '../theme/ThemeProvider.tsx';
import { antdLocales } from './console-words.ts';
import { FaultNotices } from './FaultNotices.tsx';
import { makeRouter } from './routes.tsx';

export { fetchAhead } from './routes.tsx';

const calendars = { 'zh-CN': 'zh-cn', 'en-US': 'en', 'ru-RU': 'ru' };

giveStylesTheNonce();
const queryClient = makeQueryClient();

export const Console = () => {
  const [router] = useState(makeRouter);
  const blocksZoom = useSession(({ session }) => session?.block_zoom ?? true);
  useEffect(() => (blocksZoom ? blockZoom() : undefined), [blocksZoom]);
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider
        localeOf={(language) => {
          dayjs.locale(calendars[language as keyof typeof calendars]);
          return antdLocales.get(language);
        }}
      >
        <FaultNotices />
        <RouterProvider router={router} />
      </ThemeProvider>
    </QueryClientProvider>
  );
};
