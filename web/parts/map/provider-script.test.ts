import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const address = 'https://maps.example.org/api?key=k&callback={callback}';
const scripts = () => [
  ...document.head.querySelectorAll<HTMLScriptElement>('script[src*="maps.example.org"]'),
];
const page = window as unknown as Record<string, unknown>;
beforeEach(() => vi.resetModules());
afterEach(() => {
  for (const script of scripts()) script.remove();
  delete page['_AMapSecurityConfig'];
});
const freshLoader = async () => (await import('./provider-script.ts')).loadProvider;

test('the script is requested once, with the name of its callback function', async () => {
  const load = await freshLoader();
  const first = load({ address, provider: 'baidu' });
  const second = load({ address, provider: 'baidu' });
  expect(scripts()).toHaveLength(1);
  const name = /callback=(\w+)$/.exec(scripts()[0]!.src)![1]!;
  (page[name] as () => void)();
  await Promise.all([first, second]);
  expect(page[name]).toBeUndefined();
});

test('a script that does not load is an error, and the next map tries again', async () => {
  const load = await freshLoader();
  const first = load({ address, provider: 'google' });
  scripts()[0]!.dispatchEvent(new Event('error'));
  await expect(first).rejects.toThrow('did not load');
  expect(scripts()).toHaveLength(0);
  void load({ address, provider: 'google' }).catch(() => undefined);
  expect(scripts()).toHaveLength(1);
});

test('loading is given up if the script never calls back', async () => {
  vi.useFakeTimers();
  const load = await freshLoader();
  const first = load({ address, provider: 'amap' });
  const given = expect(first).rejects.toThrow('did not load');
  await vi.advanceTimersByTimeAsync(15_000);
  await given;
  vi.useRealTimers();
});

test.each([
  ['code', { securityJsCode: 'code' }],
  ['https://proxy.example.org/_AMapService', { serviceHost: 'https://proxy.example.org/_AMapService' }],
])('AMap finds its security setting %s before its script runs', async (security, expected) => {
  const load = await freshLoader();
  void load({ address, provider: 'amap', security }).catch(() => undefined);
  expect(page['_AMapSecurityConfig']).toEqual(expected);
});
