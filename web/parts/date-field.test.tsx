import { cleanup, render, screen } from '@testing-library/react';
import { ConfigProvider } from 'antd';
import enUS from 'antd/es/locale/en_US.js';
import type { Locale } from 'antd/es/locale/index.js';
import ruRU from 'antd/es/locale/ru_RU.js';
import zhCN from 'antd/es/locale/zh_CN.js';
import { afterEach, expect, test } from 'vitest';
import type { Language } from '#contract/languages.ts';
import { setStage } from '#web/test-stage.tsx';
import { DateFieldPicker } from './DateFieldPicker.tsx';

afterEach(cleanup);

test.each<[Language, Locale, Record<'date' | 'week' | 'month' | 'year', string>]>([
  ['en-US', enUS, { date: '18 Nov 2026', week: '16 Nov – 22 Nov', month: 'November 2026', year: '2026' }],
  ['zh-CN', zhCN, { date: '2026/11/18', week: '11/16 – 11/22', month: '2026年11月', year: '2026年' }],
  ['ru-RU', ruRU, { date: '18.11.2026', week: '16.11 – 22.11', month: 'ноябрь 2026', year: '2026' }],
])('in %s a field shows the day, or the period that contains it', async (language, locale, texts) => {
  await setStage({ language, words: {}, replies: {} });
  const kinds = ['date', 'week', 'month', 'year'] as const;
  render(
    <ConfigProvider locale={locale}>
      {kinds.map((kind) => (
        <DateFieldPicker key={kind} kind={kind} value="2026-11-18" aria-label={kind} />
      ))}
    </ConfigProvider>,
  );
  for (const kind of kinds)
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: kind }).value).toBe(texts[kind]);
});
