import { useTranslation } from 'react-i18next';
import { LastSeen } from '#web/values/LastSeen.tsx';
import type { Line } from './lines.query.ts';

/** The age of a line's reported position, which is never shown as if it were current. */
export const LineAge = ({ line, stale }: { line: Line; stale: boolean }) => {
  const { t } = useTranslation('lines');
  return (
    <span className={stale ? 'line-stale' : 'soft'}>
      {line.observed_at === null ? (
        t(($) => $.neverReported)
      ) : (
        <>
          {stale && `${t(($) => $.stale)} · `}
          <LastSeen at={line.observed_at} />
        </>
      )}
    </span>
  );
};
