import { useTranslation } from 'react-i18next';
import { LastSeen } from '../../values/LastSeen.tsx';
import { LineState } from '../../values/LineState.tsx';
import { Quantity } from '../../values/Quantity.tsx';
import { isUnproven, type StatedLine } from './tags.query.ts';

/** State and load of the line that is to be tagged, as the question before switching shows them. */
export const TagLineState = ({ line }: { line: StatedLine }) => {
  const { t } = useTranslation('tags');
  const name = line.name || String(line.n);
  return (
    <>
      {isUnproven(line) && (
        <p className="tag-live" role="alert">
          <strong>
            {t(($) => (line.state === 'closed' ? $.live.live : $.live.unknown), { line: name })}
          </strong>
        </p>
      )}
      <dl className="facts">
        <dt>{t(($) => $.live.now)}</dt>
        <dd>
          <LineState state={line.state} stale={line.stale} />{' '}
          <span className="soft">
            {line.observed_at === null ? t(($) => $.live.never) : <LastSeen at={line.observed_at} />}
          </span>
        </dd>
        <dt>{t(($) => $.live.load)}</dt>
        <dd>
          <Quantity value={line.power} unit="W" stale={line.values_stale} /> ·{' '}
          <Quantity value={line.current} unit="A" stale={line.values_stale} />
        </dd>
      </dl>
    </>
  );
};

/** How many of the lines that are to be tagged have power, or may have it. */
export const TagCounts = ({ lines }: { lines: readonly StatedLine[] }) => {
  const { t } = useTranslation('tags');
  const stale = lines.filter((line) => line.stale || line.state === 'unknown').length;
  const of = (state: 'closed' | 'open') => lines.filter((line) => !line.stale && line.state === state).length;
  return (
    <p className={of('open') < lines.length ? 'tag-live' : 'tag-plain'} role="alert">
      <strong>{t(($) => $.live.counts, { closed: of('closed'), open: of('open'), unknown: stale })}</strong>{' '}
      {of('open') < lines.length && t(($) => $.live.countsLive)}
    </p>
  );
};
