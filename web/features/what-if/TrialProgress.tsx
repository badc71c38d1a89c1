import { Button, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { FaultNotice } from '#web/parts/DataState.tsx';
import type { TrialRun } from './use-trial.ts';

/** Progress of a what-if, with a cancel button; afterwards why it ended early. */
export const TrialProgress = ({
  run,
  onCancel,
  onAgain,
}: {
  run: TrialRun;
  onCancel: () => void;
  onAgain: () => void;
}) => {
  const { t } = useTranslation('whatIf');
  const counts = { done: run.judged.length, total: run.total };
  if (run.state === 'failed' && run.error) return <FaultNotice error={run.error} onRetry={onAgain} />;
  if (run.state === 'done') return null;
  return (
    <div className="panel what-if-progress" role="status">
      <span>{t(($) => (run.state === 'running' ? $.judging : $.cancelled), counts)}</span>
      <Progress
        percent={Math.round((100 * counts.done) / Math.max(1, counts.total))}
        aria-label={t(($) => $.judging, counts)}
        {...(run.state === 'cancelled' ? { status: 'exception' as const } : {})}
      />
      {run.state === 'running' ? (
        <Button onClick={onCancel}>{t(($) => $.cancel)}</Button>
      ) : (
        <Button onClick={onAgain}>{t(($) => $.again)}</Button>
      )}
    </div>
  );
};
