import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useKnown } from '#web/api/use-known.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useAsOf } from '#web/values/use-as-of.ts';
import type { AlarmSearch } from './alarm-search.ts';

const everyMs = 1_000;

/** Live counts of the alarms in the filter's project and time; each links to its rows. */
export const AlarmCounters = ({ search, onChange }: { search: AlarmSearch; onChange: SetUrl }) => {
  const { t } = useTranslation('alarms');
  const formats = useFormats();
  const asOf = useAsOf();
  const { project_id, device_id, line_id, from, to } = search;
  const query = useQuery(
    endpointQuery(alarmEndpoints.census, {
      ...(project_id === undefined ? {} : { project_id }),
      ...(device_id === undefined ? {} : { device_id }),
      ...(line_id === undefined ? {} : { line_id }),
      ...(from ? { from } : {}),
      ...(to ? { to } : {}),
    }),
  );
  const data = useKnown(query);
  useLiveRefresh(['alarm', 'alarm_update'], [alarmEndpoints.census], everyMs);
  const counters = [
    ['unprocessed', data?.unprocessed, { status: 'unprocessed' }],
    ['active', data?.active, { active: 'true' }],
    ['alarms', data?.alarms, { level: '2' }],
    ['early', data?.early_warnings, { level: '1' }],
    ['processed', data?.processed, { status: 'processed' }],
    ...(data?.shelved || search.shelved ? [['shelved', data?.shelved, { shelved: 'true' }] as const] : []),
  ] as const;
  const isOn = (patch: object) =>
    Object.entries(patch).every(([name, value]) => search[name as keyof AlarmSearch] === value);
  return (
    <fieldset className="alarm-counters" aria-label={asOf(t(($) => $.counter.label))}>
      {counters.map(([key, count, patch]) => (
        <button
          key={key}
          type="button"
          aria-pressed={isOn(patch)}
          className={`alarm-counter alarm-counter-${key}`}
          onClick={() =>
            onChange({
              ...(isOn(patch)
                ? Object.fromEntries(Object.keys(patch).map((name) => [name, undefined]))
                : patch),
              page: undefined,
            })
          }
        >
          <strong className="tabular">{count === undefined ? '—' : formats.number(count)}</strong>
          <span>{t(($) => $.counter[key])}</span>
        </button>
      ))}
      <span className="alarm-counter">
        <strong className="tabular">
          {data?.handling_rate === null || data === undefined ? '—' : formats.percent(data.handling_rate)}
        </strong>
        <span>{t(($) => $.counter.rate)}</span>
      </span>
    </fieldset>
  );
};
