import { useTranslation } from 'react-i18next';
import { alarmPhases } from '#contract/alarm-catalogue.ts';
import { useFormats } from '#web/i18n/format.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { rowHeader } from '#web/parts/table/cell-class.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { Severity } from '#web/values/Severity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { placeOf } from './place.ts';
import { type Fate, type Found, isGrave, type TrialLine } from './trial.ts';

const mostShown = 50;

/** Alarms with the same result, most severe first. */
export const EpisodeTable = ({
  fate,
  episodes,
  count,
  lines,
  unit,
}: {
  fate: Fate;
  episodes: readonly Found[];
  count: number;
  lines: readonly TrialLine[];
  unit: string;
}) => {
  const { t } = useTranslation('whatIf');
  const formats = useFormats();
  if (count === 0) return null;
  const shown = episodes.slice(0, mostShown);
  const lineOf = (id: number) => lines.find(({ line_id }) => line_id === id);
  const title = t(($) => $.fate[fate], { count });
  const lost = fate === 'missed' || fate === 'lowered';
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      <p className="soft">{t(($) => $.fateText[fate])}</p>
      <table className="what-if-episodes" aria-label={title}>
        <thead>
          <tr>
            {(['severity', 'level', 'line', 'since', 'lasted', 'peak'] as const).map((column) => (
              <th key={column} scope="col">
                {t(($) => $.column[column])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((episode) => {
            const line = lineOf(episode.line_id);
            return (
              <tr
                key={`${episode.line_id} ${episode.phase} ${episode.at}`}
                className={lost && isGrave(episode) ? 'is-alarm' : undefined}
              >
                <td data-label={t(($) => $.column.severity)}>
                  <Severity severity={episode.severity} />
                </td>
                <td data-label={t(($) => $.column.level)}>
                  <AlarmLevel level={episode.level} />
                </td>
                <td role={rowHeader} data-label={t(($) => $.column.line)}>
                  {line && (
                    <PathLink to={paths.device(line.device_id, { tab: 'alarms' })}>{placeOf(line)}</PathLink>
                  )}
                  {alarmPhases[episode.phase] && ` · ${alarmPhases[episode.phase]!.toUpperCase()}`}
                </td>
                <td data-label={t(($) => $.column.since)}>
                  <TimeText at={episode.at} />
                </td>
                <td data-label={t(($) => $.column.lasted)}>
                  {episode.ended_at === null
                    ? t(($) => $.goesOn)
                    : formats.interval((Date.parse(episode.ended_at) - Date.parse(episode.at)) / 1000)}
                </td>
                <td data-label={t(($) => $.column.peak)} className="tabular">
                  <Peak episode={episode} unit={unit} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {count > shown.length && <p className="soft">{t(($) => $.shownOf, { shown: shown.length, count })}</p>}
    </section>
  );
};

const Peak = ({ episode: { value, threshold }, unit }: { episode: Found; unit: string }) => {
  const formats = useFormats();
  const unitOf = useUnit();
  if (value === null) return <>—</>;
  const text = (number: number) => formats.number(number, Math.abs(number) >= 1000 ? 0 : 1);
  return (
    <>
      {text(value)}
      {threshold !== null && <span className="soft"> / {text(threshold)}</span>} {unitOf(unit)}
    </>
  );
};
