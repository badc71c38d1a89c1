import { Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { type Rollout, rolloutDeviceStates } from '#contract/firmware.ts';
import { useFormats } from '#web/i18n/format.ts';

const ends = ['updated', 'failed', 'rolled_back', 'skipped'] as const;
const endedOf = ({ counts }: Pick<Rollout, 'counts'>): number =>
  ends.reduce((sum, state) => sum + (counts[state] ?? 0), 0);

/** The number of finished devices, and the number of devices in each state. */
export const RolloutProgress = ({ rollout, detailed = false }: { rollout: Rollout; detailed?: boolean }) => {
  const { t } = useTranslation('firmware');
  const { number, colon } = useFormats();
  const { counts, total } = rollout;
  const failed = (counts.failed ?? 0) + (counts.rolled_back ?? 0);
  const percent = (count: number) => (total === 0 ? 100 : Math.floor((100 * count) / total));
  return (
    <div className="rollout-progress">
      <Progress
        percent={percent(endedOf(rollout))}
        success={{ percent: percent(counts.updated ?? 0) }}
        showInfo={false}
        aria-label={t(($) => $.rollout.progress)}
      />
      <span className="tabular nowrap">
        {t(($) => $.rollout.ended, { done: number(endedOf(rollout)), total: number(total) })}
      </span>
      {failed > 0 && !detailed && (
        <strong className="tabular nowrap">
          {t(($) => $.rollout.device.failed)}
          {colon}
          {number(failed)}
        </strong>
      )}
      {detailed && (
        <p className="rollout-counts">
          {rolloutDeviceStates
            .filter((state) => (counts[state] ?? 0) > 0)
            .map((state) => (
              <span key={state}>
                {t(($) => $.rollout.device[state])}
                {colon}
                <strong className="tabular">{number(counts[state] ?? 0)}</strong>
              </span>
            ))}
        </p>
      )}
    </div>
  );
};
