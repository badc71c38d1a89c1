import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pushEndpoints } from '#contract/push.ts';
import { attempt } from '#web/api/attempt.ts';
import { endpointQuery, keyOf } from '#web/api/query.ts';
import { currentSubscription, isFor, pushBarrier, subscribe, unsubscribe } from './push.ts';

const here = ['push', 'here'] as const;

/** Notifications on this device, also with the console closed; if that is not possible, the reason. */
export const PushSettings = () => {
  const { t } = useTranslation('notices');
  const { message } = App.useApp();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const server = useQuery(endpointQuery(pushEndpoints.key, {}));
  const { data } = useQuery({
    queryKey: here,
    staleTime: 0,
    queryFn: async () => {
      const barrier = await pushBarrier();
      return {
        barrier,
        subscription:
          barrier === 'insecure' || barrier === 'unsupported' ? null : await currentSubscription(),
      };
    },
  });
  const act = async (work: () => Promise<string | null>) => {
    setBusy(true);
    await attempt(async () => {
      const warning = await work();
      if (warning) void message.warning(warning);
    });
    setBusy(false);
    await client.invalidateQueries({ queryKey: here });
    await client.invalidateQueries({ queryKey: keyOf(pushEndpoints.key) });
  };
  const turnOn = () =>
    act(async () => {
      const result = await subscribe();
      return result === 'done' ? null : t(($) => $.push.not[result]);
    });
  if (!data) return null;
  const { barrier } = data;
  // A subscription with another key, or that the server has ended, receives nothing: it must be turned on again.
  const isLost =
    data.subscription && server.data && !(server.data.here && isFor(data.subscription, server.data.key));
  const subscription = isLost ? null : data.subscription;
  return (
    <div className="push-settings">
      <p>{t(($) => $.push.text)}</p>
      {subscription ? (
        <>
          <p role="status">
            <strong>{t(($) => $.push.on)}</strong>
          </p>
          <Button
            loading={busy}
            onClick={() =>
              void act(async () => {
                await unsubscribe(subscription);
                return null;
              })
            }
          >
            {t(($) => $.push.turnOff)}
          </Button>
        </>
      ) : barrier ? (
        <Alert type="info" showIcon title={t(($) => $.push.barrier[barrier])} />
      ) : (
        <Button type="primary" loading={busy} onClick={() => void turnOn()}>
          {t(($) => $.push.turnOn)}
        </Button>
      )}
      {server.data && (
        <p className="soft">{t(($) => $.push.devices, { count: server.data.subscriptions })}</p>
      )}
    </div>
  );
};
