import { afterEach, expect, test, vi } from 'vitest';
import { patienceMs } from '#test/patience.ts';
import { loadWriter } from './antd-rules.ts';
import { antdTheme } from './theme/antd-theme.ts';
import { dark, light } from './theme/tokens.ts';

/** The first build of a process takes seconds. */
const timeout = 5 * patienceMs;
const writer = loadWriter();

afterEach(() => {
  vi.unstubAllGlobals();
});

test(
  "antd's rules are the same for every theme, so that they can be written when the console is built",
  async () => {
    vi.stubGlobal('window', { matchMedia: () => ({ matches: true }) });
    const write = await writer;
    const rules = write();
    expect(Object.keys(rules)).toEqual(
      expect.arrayContaining(['shared', 'icons', 'button/style/index.js#0', 'tooltip/style/index.js#0']),
    );
    expect(rules['button/style/index.js#0']?.[0]).toContain(':where(.¶).§{');
    expect(write(antdTheme(dark, 'dark', 'comfortable', 150, true))).toEqual(rules);
    expect(write(antdTheme(light, 'light', 'dense', 100, false))).toEqual(rules);
  },
  timeout,
);

test(
  "a number without a unit keeps none in antd's rules",
  async () => {
    const { 'modal/style/index.js#0': modal } = (await writer)();
    expect(modal?.[0]).toContain('z-index:calc(var(--ant-z-index-popup-base) + 10);');
  },
  timeout,
);
