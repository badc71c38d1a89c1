import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';

const hours = Array.from({ length: 24 }, (_, hour) => hour);
/** Opacity of the colour at the busiest hour: text on it keeps its contrast. */
const strongest = 45;

/** Alarms by hour of the week: a table with darker cells for more alarms. */
export const WeekGrid = ({ title, week }: { title: string; week: readonly number[] }) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const formats = useFormats();
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: 'short', timeZone: 'UTC' });
  // 1 January 2024 was a Monday.
  const days = Array.from({ length: 7 }, (_, day) => weekday.format(Date.UTC(2024, 0, 1 + day)));
  const most = Math.max(1, ...week);
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard */}
      <section className="figure-table-room" tabIndex={0} aria-label={title}>
        <table className="week-grid" aria-label={title}>
          <thead>
            <tr>
              <td />
              {hours.map((hour) => (
                <th key={hour} scope="col">
                  {hour}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {hours.map((hour) => {
                  const count = week[index * 24 + hour] ?? 0;
                  const share = Math.round((count / most) * strongest);
                  return (
                    <td
                      key={hour}
                      title={t(($) => $.weekCell, { day, hour, count })}
                      style={{ background: `color-mix(in srgb, var(--link) ${share}%, transparent)` }}
                    >
                      {count > 0 ? formats.number(count) : ''}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
};
