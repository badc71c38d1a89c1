import type { MapScript } from '#contract/session.ts';

/** Name of the function that the provider's script calls when its library is ready. */
const callback = 'ampwatchMapReady';
const patienceMs = 15_000;

interface Page extends Window {
  [callback]?: () => void;
  /** AMap reads its signing settings from this variable. */
  _AMapSecurityConfig?: { securityJsCode: string } | { serviceHost: string };
}

const securityOf = (security: string) =>
  /^https?:/.test(security) ? { serviceHost: security } : { securityJsCode: security };

let loading: Promise<void> | null = null;

const load = ({ address, provider, security }: MapScript): Promise<void> =>
  new Promise((resolve, reject) => {
    const page: Page = window;
    const script = document.createElement('script');
    const late = window.setTimeout(() => fail(), patienceMs);
    const done = () => {
      window.clearTimeout(late);
      delete page[callback];
    };
    const fail = () => {
      done();
      script.remove();
      reject(new Error('the map script did not load'));
    };
    page[callback] = () => {
      done();
      resolve();
    };
    if (provider === 'amap' && security) page._AMapSecurityConfig = securityOf(security);
    script.src = address.replace('{callback}', callback);
    script.async = true;
    script.addEventListener('error', fail);
    document.head.append(script);
  });

/** The provider's library, loaded once; after a failure the next map tries again. */
export const loadProvider = (script: MapScript): Promise<void> => {
  loading ??= load(script).catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
};
