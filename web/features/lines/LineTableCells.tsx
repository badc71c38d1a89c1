import type { TFunction } from 'i18next';
import type { LineTableRow } from '#contract/line-table.ts';
import { channelName, channelUnit } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels, lockBits } from '#contract/telemetry.ts';
import { formatsIn } from '#web/i18n/format.ts';
import { useLanguage } from '#web/i18n/i18n.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { GaugeBar } from '#web/values/Gauge.tsx';
import { gaugeOf } from '#web/values/gauge-model.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { Quantity } from '#web/values/Quantity.tsx';
import { TagMark } from '#web/values/TagBadge.tsx';

/** A row of `useAgedRows`, and the words of the lines. */
interface CellProps {
  row: LineTableRow;
  t: TFunction<'lines'>;
}

export const LineName = ({ row, t }: CellProps) => (
  <span className="line-cell">
    <PathLink to={paths.device(row.device_id, { tab: 'lines' })}>
      <span className="line-n">{row.n}</span> {row.name || t(($) => $.unnamed, { n: row.n })}
      {row.alias && <span className="soft"> {row.alias}</span>}
    </PathLink>
    <span className="soft">
      {row.device_name || row.device_number}
      {row.critical && <span className="line-critical">{t(($) => $.critical)}</span>}
    </span>
  </span>
);

/** The position as the device reported it, with its age. */
export const LinePosition = ({ row, t }: CellProps) => {
  const { stale } = row;
  return (
    <span className="line-cell">
      {row.switchable ? (
        <LineState state={row.state} stale={stale} />
      ) : (
        <span className="soft">{t(($) => $.measured)}</span>
      )}
      <span className={stale ? 'line-stale' : 'soft'}>
        {row.observed_at === null ? t(($) => $.neverReported) : <LastSeen at={row.observed_at} />}
      </span>
    </span>
  );
};

const locks = ['local', 'maintenance', 'netControlOff'] as const;
/** What forbids closing or needs attention: trip, lock-out tag, lock of the device, alarms. */
export const LineMarks = ({ row, t }: CellProps) => {
  const language = useLanguage();
  const held = locks.filter((lock) => ((row.lock ?? 0) & lockBits[lock]) !== 0);
  return (
    <span className="line-marks">
      {row.switchable && row.trip !== null && row.trip > 0 && (
        <strong className="line-alarm" title={alarmTypeName(row.trip, language)}>
          {t(($) => $.table.tripped)}
        </strong>
      )}
      {row.tags > 0 && <TagMark count={row.tags} />}
      {row.worst > 0 && (
        <PathLink to={paths.alarmList({ line_id: row.line_id, active: 'true' })}>
          <AlarmLevel level={row.worst} compact /> {row.alarms}
        </PathLink>
      )}
      {held.map((lock) => (
        <span key={lock} className="soft">
          {t(($) => $.table.lock[lock])}
        </span>
      ))}
    </span>
  );
};

const tenths = (value: number) => Math.round(value * 10) / 10;
/** The quantity that is closest to its limit, and the distance from it. */
export const LineClosest = ({ row, t }: CellProps) => {
  const language = useLanguage();
  const formats = formatsIn(language);
  const { closest, values_stale: stale } = row;
  if (!closest) return <span className="soft">—</span>;
  const unit = channelUnit(closest.channel);
  const names = lineChannels[row.device_type as DeviceType];
  const { standing } = gaugeOf(closest.value, closest.limits, null);
  return (
    <span className={`line-cell line-closest${stale ? ' is-stale' : ''}`}>
      <span className="line-closest-head">
        <strong className={`tabular is-${standing}`}>
          {t(($) => $.table.percent, { percent: formats.number(closest.percent) })}
        </strong>
        {standing !== 'normal' && <AlarmLevel level={standing === 'alarm' ? 2 : 1} compact />}
        <span className="line-closest-name">{channelName(closest.channel, names, language)}</span>
        <span className="soft nowrap">
          {formats.short(tenths(closest.value))} /{' '}
          <Quantity value={tenths(closest.limit)} unit={unit} digits={closest.limit < 100 ? 1 : 0} />
        </span>
      </span>
      <GaugeBar value={closest.value} limits={closest.limits} stale={stale} />
    </span>
  );
};

export const LineFigure = ({
  row,
  field,
  unit,
}: {
  row: LineTableRow;
  field: 'current' | 'share' | 'power' | 'leakage' | 'temperature' | 'voltage';
  unit: string;
}) => (
  <Quantity
    value={row[field]}
    unit={unit}
    stale={row.values_stale}
    {...(field === 'share' ? { digits: 0 } : {})}
  />
);
