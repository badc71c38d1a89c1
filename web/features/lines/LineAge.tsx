import { useTranslation } from 'react-i18next';
import { LastSeen } from '../../values/LastSeen.tsx';
import type { Line } from './lines.query.ts';

/** How old the reported position of a line is; never as if it were of now. */
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
