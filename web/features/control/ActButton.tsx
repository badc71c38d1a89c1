import { App, Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { attempt } from '#web/api/attempt.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { ActDialog } from './ActDialog.tsx';
import {
  type Act,
  type ControlDevice,
  type ControlLine,
  isElsewhere,
  isGrave,
  isHarmless,
  writtenFor,
} from './acts.ts';

/** One act with its effect below, or why it is not possible now. */
export const ActButton = ({
  act,
  device,
  line,
}: {
  act: Act;
  device: ControlDevice;
  line: ControlLine | null;
}) => {
  const { t } = useTranslation('control');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const prove = useProvenCall();
  const id = useId();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const { action } = act;
  const cut = useCutRefusal();
  const allowed = act.allowed && cut === null;
  const written = writtenFor(act, device);
  if (isElsewhere(action)) return null;

  const send = async () => {
    setBusy(true);
    await attempt(async () => {
      const sent = await prove(controlEndpoints.do, {
        device_id: device.device_id,
        ...(line ? { line_id: line.line_id } : {}),
        action,
        ...(written?.kind === 'name' ? { confirm_name: written.text } : {}),
      });
      if (sent) void message.info(t(($) => $.takingEffect));
    }).finally(() => {
      setBusy(false);
      setAsking(false);
    });
  };
  const where = line ? `${line.n} · ${line.name}` : device.number;
  return (
    <div className="control-act">
      <Button
        block
        danger={isGrave(act)}
        disabled={!allowed}
        loading={busy}
        aria-describedby={id}
        onClick={() => (isHarmless(act) ? void send() : setAsking(true))}
      >
        {tc(($) => $.command.action[action])}
      </Button>
      <p id={id} className={allowed ? 'soft' : 'control-reason'}>
        {allowed ? t(($) => $.does[action]) : (cut ?? act.message ?? act.reason)}
      </p>
      {asking && (
        <ActDialog
          act={act}
          written={written}
          where={where}
          text={t(($) => $.does[action])}
          busy={busy}
          onConfirm={() => void send()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
};
