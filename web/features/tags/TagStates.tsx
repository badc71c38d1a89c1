import { useTranslation } from 'react-i18next';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineLoad } from '#web/values/LineLoad.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { Quantity } from '#web/values/Quantity.tsx';
import { type Covered, isUnproven, type StatedLine } from './tags.query.ts';

/** State and load of the line to be tagged, in the same form as before switching. */
export const TagLineState = ({ line, carries }: { line: StatedLine; carries: boolean }) => {
  const { t } = useTranslation('tags');
  const name = line.name || String(line.n);
  return (
    <>
      {(isUnproven(line) || carries) && (
        <p className="tag-live" role="alert">
          <strong>
            {carries
              ? t(($) => $.live.carries, { line: name })
              : t(($) => (line.state === 'closed' ? $.live.live : $.live.unknown), { line: name })}
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
          <LineLoad load={line} stale={line.values_stale} />
        </dd>
      </dl>
    </>
  );
};

const mostNamed = 5;
/**
 * How many of the lines under a tag are live or may be live, and the names of those with the highest load.
 */
export const TagCounts = ({ covered }: { covered: Covered }) => {
  const { t } = useTranslation('tags');
  const { lines, open, closed, unknown, not_open } = covered;
  const more = lines - open - Math.min(not_open.length, mostNamed);
  return (
    <div className={open < lines ? 'tag-live' : 'tag-plain'} role="alert">
      <strong>{t(($) => $.live.counts, { closed, open, unknown })}</strong>{' '}
      {open < lines && t(($) => $.live.countsLive)}
      {not_open.length > 0 && (
        <ul className="plain-list tag-not-open">
          {not_open.slice(0, mostNamed).map((line) => (
            <li key={line.line_id}>
              <span>
                {line.device_number} · {line.name || line.n}
              </span>
              <span>
                <LineState state={line.state} stale={false} /> <Quantity value={line.power} unit="W" />
              </span>
            </li>
          ))}
          {more > 0 && <li>{t(($) => $.live.more, { count: more })}</li>}
        </ul>
      )}
    </div>
  );
};
