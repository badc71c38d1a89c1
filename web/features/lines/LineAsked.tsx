import { useTranslation } from 'react-i18next';
import { TimeText } from '#web/values/TimeText.tsx';
import { useNow } from '#web/values/use-now.ts';
import { newsMs, unmetOf } from './line-asked.ts';
import type { Line } from './lines.query.ts';

/** The last command that the line did not follow: what was requested, by whom, and the real state. */
export const LineAsked = ({ line }: { line: Line }) => {
  const { t } = useTranslation('lines');
  const { t: tc } = useTranslation('common');
  const unmet = unmetOf(line);
  const now = useNow();
  if (unmet === null) return null;
  const isNews = now - Date.parse(unmet.at) < newsMs;
  return (
    <div className={isNews ? 'line-alarm' : 'line-note line-unmet'} role="status">
      <strong>
        {t(($) => $.unmet.title, {
          action: tc(($) => $.command.action[unmet.asked]),
          state: tc(($) => $.position[line.state]),
        })}
      </strong>
      <span>
        {t(($) => (unmet.answered ? $.unmet.answered : $.unmet.silent))}{' '}
        <span className="soft">
          {unmet.by && `${unmet.by} · `}
          <TimeText at={unmet.at} />
        </span>
      </span>
    </div>
  );
};
