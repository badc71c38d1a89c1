import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const units = [
  ['hour', hourMs, hourMs],
  ['minute', minuteMs, 2 * minuteMs],
] as const;

/** Duration: seconds to the tenth, longer ones in whole minutes or hours. A dash if the end is unknown. */
export const AlarmLasted = ({ from, to }: { from: string; to: string | null }) => {
  const { t } = useTranslation('alarms');
  const formats = useFormats();
  if (to === null) return <span className="soft">—</span>;
  const ms = Date.parse(to) - Date.parse(from);
  const [unit, size] = units.find(([, , least]) => ms >= least) ?? ['second', 1000];
  const value = formats.number(ms / size, unit === 'minute' ? 0 : 1);
  return <span className="tabular nowrap">{t(($) => $.log.time[unit], { value })}</span>;
};
