import { App, Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { attempt } from '#web/api/attempt.ts';
import './reset.css';
import { useConfirm } from './use-confirm.ts';
import { useCutRefusal } from './use-cut-refusal.ts';
import { useProvenCall } from './use-proof.tsx';
import { useResetAct } from './use-reset-act.ts';

/**
 * Requests the reset of a latched trip or alarm, beside where it is shown; or shows why it is refused now.
 */
export const ResetButton = ({
  deviceId,
  lineId,
  where,
  main = false,
}: {
  deviceId: number;
  /** Null: the whole device. */
  lineId: number | null;
  where: string;
  /** The button is the main action. */
  main?: boolean;
}) => {
  const { t } = useTranslation('common');
  const { message } = App.useApp();
  const id = useId();
  const confirm = useConfirm();
  const prove = useProvenCall();
  const cut = useCutRefusal();
  const [busy, setBusy] = useState(false);
  const act = useResetAct(deviceId, lineId);
  if (!act) return null;
  const refusal = cut ?? (act.allowed ? null : act.message);

  const reset = async () => {
    const sure = await confirm({
      title: t(($) => $.reset.ask, { where }),
      content: t(($) => $.reset.does),
      okText: t(($) => $.command.action.reset),
    });
    if (!sure) return;
    setBusy(true);
    await attempt(async () => {
      const sent = await prove(controlEndpoints.do, {
        device_id: deviceId,
        ...(lineId === null ? {} : { line_id: lineId }),
        action: 'reset',
      });
      if (sent) void message.info(t(($) => $.reset.sent));
    }).finally(() => {
      setBusy(false);
    });
  };
  return (
    <span className="reset">
      <Button
        type={main ? 'primary' : 'default'}
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
