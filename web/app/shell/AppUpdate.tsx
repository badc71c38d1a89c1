import { App, Button } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '#web/i18n/i18n.ts';

const lookMs = 30 * 60_000;
/** The offline copy is made this long after the first screen, so that the screen's own files load first. */
const keepAfterMs = 5_000;

/** Whether this page already has the worker's version: then the worker takes over without asking. */
const isOf = (worker: ServiceWorker): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<boolean>) => resolve(data);
    const own = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
    const path = own === null ? '' : new URL(own.src).pathname;
    worker.postMessage({ kind: 'has', path }, [port2]);
  });

/**
 * Registers the service worker, which takes notices while the console is closed and keeps a copy of it for times
 * without a network. A new version of the console waits until the reader wants it.
 */
export const AppUpdate = () => {
  const { t } = useTranslation('shell');
  const { notification } = App.useApp();
  useEffect(() => {
    if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
    let looking: number | undefined;
    const offer = (worker: ServiceWorker) =>
      notification.info({
        key: 'update',
        duration: 0,
        title: t(($) => $.update.title),
        actions: (
          <Button
            size="small"
            type="primary"
            onClick={() => {
              navigator.serviceWorker.addEventListener('controllerchange', () => window.location.reload());
              worker.postMessage({ kind: 'take over' });
            }}
          >
            {t(($) => $.update.act)}
          </Button>
        ),
      });
    const watch = (registration: ServiceWorkerRegistration) => {
      const offerWaiting = async () => {
        const { waiting } = registration;
        if (!waiting || !navigator.serviceWorker.controller) return;
        if (await isOf(waiting)) waiting.postMessage({ kind: 'take over' });
        else offer(waiting);
      };
      void offerWaiting();
      registration.addEventListener('updatefound', () => {
        registration.installing?.addEventListener('statechange', () => void offerWaiting());
      });
      looking = window.setInterval(() => void registration.update().catch(() => undefined), lookMs);
    };
    navigator.serviceWorker.register('/sw.js', { scope: '/' }).then(watch, () => undefined);
    const keeping = window.setTimeout(() => {
      void navigator.serviceWorker.ready.then(({ active }) =>
        active?.postMessage({ kind: 'keep', language: currentLanguage() }),
      );
    }, keepAfterMs);
    return () => {
      window.clearInterval(looking);
      window.clearTimeout(keeping);
    };
  }, [notification, t]);
  return null;
};
