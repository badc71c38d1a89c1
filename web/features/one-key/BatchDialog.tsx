import { useQuery } from '@tanstack/react-query';
import { Button, Modal, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { oneKeyEndpoints } from '#contract/one-key.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { CommandState } from '#web/values/CommandState.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { type Batch, batchQuery } from './one-key.query.ts';
import './one-key.css';

const own = ['waiting', 'skipped', 'refused', 'not_sent'] as const;
const under = ['waiting', 'created', 'sent', 'acknowledged'];

/** Progress of a one-key batch: a bar with counts, and each line with its proved result. */
export const BatchDialog = ({ batchId, onClose }: { batchId: string; onClose: () => void }) => {
  const { t } = useTranslation('oneKey');
  useFocusBack();
  const query = useQuery(batchQuery(batchId));
  useLiveRefresh(
    ['command'],
    [oneKeyEndpoints.batch],
    200,
    (data) => 'batch_id' in data && data.batch_id === batchId,
  );
  return (
    <Modal
      open
      width={760}
      title={query.data ? t(($) => $[query.data.action].running) : t(($) => $.title)}
      onCancel={onClose}
      footer={
        <>
          <ExportButton
            endpoint={oneKeyEndpoints.exportBatch}
            body={{ batch_id: batchId }}
            fileName={query.data ? t(($) => $[query.data.action].running) : t(($) => $.title)}
          />
          <Button onClick={onClose}>{t(($) => $.shut)}</Button>
        </>
      }
    >
      <DataState query={query} rows={6}>
        {(batch) => <BatchState batch={batch} />}
      </DataState>
    </Modal>
  );
};

export const BatchState = ({ batch }: { batch: Batch }) => {
  const { t } = useTranslation('oneKey');
  const asked = batch.lines.filter(({ state }) => state !== 'skipped');
  const ended = asked.filter(({ state }) => !under.includes(state));
  const verified = asked.filter(({ state }) => state === 'verified').length;
  const percent = asked.length === 0 ? 100 : Math.round((100 * ended.length) / asked.length);
  const isPartial = batch.state === 'partial';
  return (
    <>
      <Progress
        className="one-key-progress"
        percent={percent}
        status={isPartial ? 'exception' : batch.state === 'done' ? 'success' : 'active'}
        format={() => `${ended.length} / ${asked.length}`}
        aria-label={t(($) => $.title)}
      />
      <p role="status" className={isPartial ? 'one-key-partial' : undefined}>
        <strong>
          {batch.state === 'running'
            ? t(($) => $.state.running)
            : isPartial
              ? t(($) => $.state.partial, { verified, count: asked.length })
              : t(($) => $.state.done, { count: verified })}
        </strong>{' '}
        {batch.interrupted && t(($) => $.interrupted)}
      </p>
      <p className="soft">
        {batch.operator} · <TimeText at={batch.created_at} />
      </p>
      <ul className="one-key-lines" aria-label={t(($) => $.lines)}>
        {batch.lines.map((line) => {
          const ownState = own.find((state) => state === line.state);
          return (
            <li key={line.line_id} className={line.state === 'skipped' ? 'is-skipped' : undefined}>
              <span className="one-key-name">
                <span className="soft tabular">{line.device_number} · </span>
                {line.n} · {line.name}
              </span>
              <span className="one-key-will">
                {ownState ? (
                  <span
                    className={ownState === 'refused' || ownState === 'not_sent' ? 'command-bad' : undefined}
                  >
                    <strong>{t(($) => $.lineState[ownState])}</strong>
                    {line.message && <span className="soft"> ({line.message})</span>}
                  </span>
                ) : (
                  <CommandState action={batch.action} state={line.state} reason={line.reason} />
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
};
