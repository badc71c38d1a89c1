import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useUnit } from './use-unit.ts';

/** Bars by dBm: at least −75 good, to −95 fair, to −105 weak, below that bad. */
const grades = [
  { least: -75, bars: 4, key: 'good' },
  { least: -95, bars: 3, key: 'fair' },
  { least: -105, bars: 2, key: 'weak' },
  { least: Number.NEGATIVE_INFINITY, bars: 1, key: 'bad' },
] as const;

/** `stale`: the last signal of a device that is offline. */
export const Signal = ({ dBm, stale = false }: { dBm: number | null; stale?: boolean }) => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const unitOf = useUnit();
  if (dBm === null) return <span className="soft">—</span>;
  const { bars, key } = grades.find(({ least }) => dBm >= least) ?? grades[3];
  return (
    <span
      className={stale ? 'nowrap tabular is-stale' : 'nowrap tabular'}
      title={`${formats.number(dBm)}\u00a0${unitOf('dBm')}`}
    >
      <svg viewBox="0 0 18 12" width="18" height="12" aria-hidden="true" className="signal">
        {[0, 1, 2, 3].map((bar) => (
          <rect
            key={bar}
            x={bar * 4.5}
            y={9 - bar * 3}
            width="3"
            height={3 + bar * 3}
            opacity={bar < bars ? 1 : 0.25}
          />
        ))}
      </svg>{' '}
      {t(($) => $.signal[key])}
    </span>
  );
};
