import { App, Modal } from 'antd';
import TextArea from 'antd/es/input/TextArea.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useReloadFigures } from './stale.ts';

export type Correction = ReplyOf<typeof statisticsEndpoints.corrections>['list'][number];
const leastReason = 5;

/** Undoes a correction by an entry of its own, with a reason. */
export const UndoDialog = ({ correction, onClose }: { correction: Correction; onClose: () => void }) => {
  const { t } = useTranslation('statistics');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReloadFigures();
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const undo = async () => {
    setBusy(true);
    await attempt(async () => {
      await call(statisticsEndpoints.undo, { id: correction.id, reason });
      void message.success(t(($) => $.ledger.undoDone));
      await reload();
      onClose();
    }).finally(() => {
      setBusy(false);
    });
  };
  return (
    <Modal
      open
      title={t(($) => $.ledger.undoTitle)}
      okText={t(($) => $.ledger.undo)}
      cancelText={tc(($) => $.dialog.cancel)}
      okButtonProps={{ disabled: reason.trim().length < leastReason, loading: busy }}
      onOk={() => void undo()}
      onCancel={onClose}
    >
      <p>
        № {correction.id}: {correction.device_number} · {correction.line_name}, {correction.after_kwh} →{' '}
        {correction.before_kwh} kWh
      </p>
      <p>{t(($) => $.ledger.undoText)}</p>
      <TextArea
        rows={2}
        maxLength={500}
        aria-label={t(($) => $.correct.reason)}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </Modal>
  );
};
