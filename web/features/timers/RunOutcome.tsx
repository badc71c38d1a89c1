import { useTranslation } from 'react-i18next';
import { CommandState } from '#web/values/CommandState.tsx';
import type { TimerRun } from './timers.query.ts';

/** The result of a run: the state of its command, or why there is none. */
export const RunOutcome = ({
  run,
}: {
  run: Pick<TimerRun, 'action' | 'outcome' | 'message' | 'reason' | 'command_state'>;
}) => {
  const { t } = useTranslation('timers');
  if (run.command_state !== null) return <CommandState action={run.action} state={run.command_state} />;
  const isBad = run.outcome === 'missed' || run.outcome === 'skipped';
  return (
    <span className={isBad ? 'timer-bad' : undefined}>
      {t(($) => $.outcome[run.outcome])}
      {isBad && (run.message ?? run.reason) && <span className="soft">: {run.message ?? run.reason}</span>}
    </span>
  );
};
