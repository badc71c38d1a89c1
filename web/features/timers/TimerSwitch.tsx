import { Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timerEndpoints } from '#contract/timers.ts';
import { attempt } from '#web/api/attempt.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { refusalId, useMaySetTimers } from './may-set-timers.ts';
import { type AddBody, bodyOf, valuesOf } from './timer-form.ts';
import { type Timer, useTimersChanged } from './timers.query.ts';

/**
 * Enables or disables a timer. Enabling one that energises a line needs a confirmation. Why it is not possible without
 * contact is said once, above the timers.
 */
export const TimerSwitch = ({ timer }: { timer: Timer }) => {
  const { t } = useTranslation('timers');
  const confirm = useConfirm();
  const may = useMaySetTimers();
  const prove = useProvenCall();
  const changed = useTimersChanged();
  const cut = useCutRefusal();
  const [busy, setBusy] = useState(false);
  if (timer.done) return <span className="soft">{t(($) => $.done)}</span>;
  const word = t(($) => (timer.enabled ? $.enabled : $.disabled));
  if (!may) return <span>{word}</span>;
  const change = async (enabled: boolean) => {
    const line = timer.line_name || String(timer.n);
    const asks = enabled && timer.action === 'close';
    const sure =
      !asks ||
      (await confirm({
        title: t(($) => $.enableTitle),
        content: t(($) => $.consequence.close, { line }),
        okText: t(($) => $.enable),
        danger: true,
      }));
    if (!sure) return;
    setBusy(true);
    await attempt(async () => {
      const { line_id: _, ...rest } = bodyOf({ ...valuesOf(timer), enabled }) as AddBody;
      await prove(timerEndpoints.edit, {
        ...rest,
        timer_id: timer.timer_id,
        revision: timer.revision,
      });
    });
    setBusy(false);
    await changed();
  };
  return (
    <span className="nowrap">
      <Switch
        size="small"
        checked={timer.enabled}
        loading={busy}
        disabled={cut !== null}
        aria-describedby={cut === null ? undefined : refusalId}
        aria-label={`${t(($) => $.field.enabled)}: ${timer.time} ${timer.line_name}`}
        onChange={(enabled) => void change(enabled)}
      />{' '}
      {word}
    </span>
  );
};
