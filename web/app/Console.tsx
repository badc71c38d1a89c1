import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { Locale } from 'antd/es/locale/index.js';
import dayjs from 'dayjs';
import { useEffect } from 'react';
import { makeQueryClient } from '../api/query.ts';
import type { WordSource } from '../i18n/i18n.ts';
import '../parts/parts.css';
import { blockZoom } from '../theme/block-zoom.ts';
import { giveStylesTheNonce } from '../theme/nonce.ts';
import { ThemeProvider } from '../theme/ThemeProvider.tsx';
import { FaultTeller } from './FaultTeller.tsx';
import { makeRouter } from './routes.tsx';

const antdLocales = new Map<string, Locale>();
const sources = {
  'zh-CN': () =>
    Promise.all([
      import('./words/zh-CN.ts'),
      import('antd/es/locale/zh_CN.js'),
      import('dayjs/locale/zh-cn'),
    ]),
  'en-US': () =>
    Promise.all([import('./words/en-US.ts'), import('antd/es/locale/en_US.js'), import('dayjs/locale/en')]),
  'ru-RU': () =>
    Promise.all([import('./words/ru-RU.ts'), import('antd/es/locale/ru_RU.js'), import('dayjs/locale/ru')]),
};
const dayjsNames = { 'zh-CN': 'zh-cn', 'en-US': 'en', 'ru-RU': 'ru' };

export const consoleWords: WordSource = async (language) => {
  const [{ words }, locale] = await sources[language]();
  antdLocales.set(language, locale.default);
  return words;
};

giveStylesTheNonce();
const queryClient = makeQueryClient();
const router = makeRouter();

export const Console = () => {
  useEffect(blockZoom, []);
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider
        localeOf={(language) => {
          dayjs.locale(dayjsNames[language as keyof typeof dayjsNames]);
          return antdLocales.get(language);
        }}
      >
        <FaultTeller />
        <RouterProvider router={router} />
      </ThemeProvider>
    </QueryClientProvider>
  );
};
