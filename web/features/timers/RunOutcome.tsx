import { useTranslation } from 'react-i18next';
import type { TimerRun } from './timers.query.ts';

/** What became of a run; one that was missed or skipped says why. */
export const RunOutcome = ({ run }: { run: Pick<TimerRun, 'outcome' | 'message' | 'reason'> }) => {
  const { t } = useTranslation('timers');
  const isBad = run.outcome === 'missed' || run.outcome === 'skipped';
  return (
    <span className={isBad ? 'timer-bad' : undefined}>
      {t(($) => $.outcome[run.outcome])}
      {isBad && (run.message ?? run.reason) && <span className="soft">: {run.message ?? run.reason}</span>}
    </span>
  );
};
