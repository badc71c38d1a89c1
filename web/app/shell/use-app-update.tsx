import { App, Button } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

const lookMs = 30 * 60_000;

/**
 * Registers the service worker, which takes notices while the console is closed. A new version of the console waits
 * until the reader wants it.
 */
export const useAppUpdate = (): void => {
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
              worker.postMessage('take over');
            }}
          >
            {t(($) => $.update.act)}
          </Button>
        ),
      });
    const watch = (registration: ServiceWorkerRegistration) => {
      const offerWaiting = () => {
        if (registration.waiting && navigator.serviceWorker.controller) offer(registration.waiting);
      };
      offerWaiting();
      registration.addEventListener('updatefound', () => {
        registration.installing?.addEventListener('statechange', offerWaiting);
      });
      looking = window.setInterval(() => void registration.update().catch(() => undefined), lookMs);
    };
    navigator.serviceWorker.register('/sw.js', { scope: '/' }).then(watch, () => undefined);
    return () => window.clearInterval(looking);
  }, [notification, t]);
};
