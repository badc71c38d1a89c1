import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { call } from '../api/call.ts';
import { Fault } from '../api/fault.ts';
import { endpointQuery } from '../api/query.ts';
import { useLiveRefresh } from '../api/use-live-refresh.ts';
import './reset.css';
import { useConfirm } from './use-confirm.ts';
import { useCutRefusal } from './use-cut-refusal.ts';
import { provable, useProof } from './use-proof.tsx';

/** Asks for the reset of a latched trip or alarm, beside the place where it is shown; or why it is refused now. */
export const ResetButton = ({
  deviceId,
  lineId,
  where,
}: {
  deviceId: number;
  /** Null: the whole device. */
  lineId: number | null;
  where: string;
}) => {
  const { t } = useTranslation('common');
  const { message } = App.useApp();
  const id = useId();
  const confirm = useConfirm();
  const prove = useProof();
  const cut = useCutRefusal();
  const [busy, setBusy] = useState(false);
  const { data } = useQuery(endpointQuery(controlEndpoints.possible, { device_id: deviceId }));
  useLiveRefresh(
    ['command', 'alarm', 'alarm_update', 'device_state'],
    [controlEndpoints.possible],
    1000,
    (event) => 'device_id' in event && event.device_id === deviceId,
  );
  const act = data?.actions.find(({ action, line_id }) => action === 'reset' && line_id === lineId);
  if (!act || act.reason === 'unsupported') return null;
  const refusal = cut ?? (act.allowed ? null : act.message);

  const reset = async () => {
    const sure = await confirm({
      title: t(($) => $.reset.ask, { where }),
      content: t(($) => $.reset.does),
      okText: t(($) => $.command.action.reset),
    });
    if (!sure) return;
    setBusy(true);
    try {
      const sent = await prove((password) =>
        call(
          controlEndpoints.do,
          {
            device_id: deviceId,
            ...(lineId === null ? {} : { line_id: lineId }),
            action: 'reset',
            ...(password === undefined ? {} : { password }),
          },
          provable,
        ),
      );
      if (sent) void message.info(t(($) => $.reset.sent));
    } catch (error) {
      // The fault of the call was announced already.
      if (!(error instanceof Fault)) throw error;
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="reset">
      <Button
        loading={busy}
        disabled={refusal !== null}
        aria-label={`${t(($) => $.command.action.reset)}: ${where}`}
        aria-describedby={refusal === null ? undefined : id}
        onClick={() => void reset()}
      >
        {t(($) => $.command.action.reset)}
      </Button>
      {refusal !== null && (
        <span id={id} className="soft">
          {refusal}
        </span>
      )}
    </span>
  );
};
