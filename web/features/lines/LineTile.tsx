import { useTranslation } from 'react-i18next';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeName, alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { CommandState } from '#web/values/CommandState.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { Quantity } from '#web/values/Quantity.tsx';
import { LineAge } from './LineAge.tsx';
import type { Line } from './lines.query.ts';

/** A line on a phone: reported state and its age, load, and problems. A tap shows the rest. */
export const LineTile = ({
  line,
  uploadSeconds,
  onShow,
}: {
  line: Line;
  uploadSeconds: number;
  onShow: () => void;
}) => {
  const { t, i18n } = useTranslation('lines');
  const { t: tc } = useTranslation('common');
  const old = useAges()(line, uploadSeconds);
  const [tag] = line.tags;
  return (
    <li>
      <button type="button" className="line-tile" aria-haspopup="dialog" onClick={onShow}>
        <span className="line-n">{line.n}</span>
        <span className="line-name">
          {line.name || t(($) => $.unnamed, { n: line.n })}
          {line.critical && <span className="line-critical">{t(($) => $.critical)}</span>}
        </span>
        <span className="line-tile-value">
          {line.current === null ? (
            <Quantity value={line.leakage} unit="mA" stale={old.values_stale} />
          ) : (
            <Quantity value={line.current} unit="A" stale={old.values_stale} />
          )}
        </span>
        <span className="line-tile-state">
          {line.switchable ? (
            <LineState state={line.state} stale={old.stale} />
          ) : (
            <span className="soft">{t(($) => $.measured)}</span>
          )}
          <LineAge line={line} stale={old.stale} />
        </span>
        {line.pending && (
          <span className="line-tile-note">
            <CommandState action={line.pending.action} state={line.pending.state} />
          </span>
        )}
        {line.trip !== null && line.trip > 0 && (
          <strong className="line-tile-note is-alarm">
            {t(($) => $.tripped, { type: alarmTypeName(line.trip, i18n.language) })}
          </strong>
        )}
        {line.alarms.map(({ id, level, typeNumber }) => (
          <span key={id} className="line-tile-note">
            <AlarmLevel level={level} compact /> <AlarmTypeName code={typeNumber} />
          </span>
        ))}
        {tag && (
          <span className="line-tile-note is-alarm">
            {tc(($) => $.lockout)} {tag.reason}
          </span>
        )}
      </button>
    </li>
  );
};
