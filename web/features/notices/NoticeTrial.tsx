import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, Drawer, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { noticeEndpoints } from '#contract/notices.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { DeliveryLedger } from '#web/values/DeliveryLedger.tsx';

const lookAgainMs = 1_000;

/**
 * Sends a test of a rule to all its recipients and shows the result of each; before that, the results of the last
 * test.
 */
export const NoticeTrial = ({ id, onClose }: { id: number | null; onClose: () => void }) => {
  const { t } = useTranslation('notices');
  const trial = useMutation({
    mutationFn: (ruleId: number) => call(noticeEndpoints.test, { id: ruleId }),
    onError: () => undefined,
  });
  const sent = trial.variables === id ? trial.data?.delivery_ids : undefined;
  const query = useQuery({
    ...endpointQuery(noticeEndpoints.deliveries, { id: id ?? 0, ...(sent ? { delivery_ids: sent } : {}) }),
    enabled: id !== null && sent?.length !== 0,
    refetchInterval: ({ state }) =>
      state.data?.list.some(({ state: each }) => each === 'queued' || each === 'sent') ? lookAgainMs : false,
  });
  const rows = query.data?.list ?? [];
  const ended = rows.filter(({ state }) => state !== 'queued' && state !== 'sent');
  const accepted = rows.filter(({ state }) => state === 'accepted').length;
  return (
    <Drawer
      open={id !== null}
      onClose={onClose}
      size={560}
      title={t(($) => $.trial.title)}
      footer={
        <div className="drawer-foot">
          {id !== null && rows.length > 0 && (
            <ExportButton
              endpoint={noticeEndpoints.exportDeliveries}
              body={{ id, ...(sent ? { delivery_ids: sent } : {}) }}
              fileName={t(($) => $.trial.title)}
            />
          )}
          <Button type="primary" loading={trial.isPending} onClick={() => id !== null && trial.mutate(id)}>
            {t(($) => $.trial.act)}
          </Button>
        </div>
      }
    >
      <p>{t(($) => $.trial.text)}</p>
      {sent?.length === 0 && <p role="alert">{t(($) => $.trial.nobody)}</p>}
      {sent !== undefined && sent.length > 0 && (
        <div role="status">
          <p>
            <strong>{t(($) => $.trial.result, { count: sent.length, ended: ended.length, accepted })}</strong>
          </p>
          <Progress
            percent={Math.round((100 * ended.length) / sent.length)}
            status={
              ended.length < sent.length ? 'active' : accepted === sent.length ? 'success' : 'exception'
            }
          />
        </div>
      )}
      {id !== null && sent?.length !== 0 && (
        <section>
          {sent === undefined && <h2 className="notice-heading">{t(($) => $.trial.last)}</h2>}
          <DataState query={query} isEmpty={({ list }) => list.length === 0} empty={t(($) => $.trial.none)}>
            {({ list }) => <DeliveryLedger rows={list} />}
          </DataState>
        </section>
      )}
    </Drawer>
  );
};
