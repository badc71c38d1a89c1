import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { Figure } from '#web/values/Figure.tsx';
import { Quantity } from '#web/values/Quantity.tsx';

/** Load and energy change all the time without an event. */
const loadMs = 10_000;

export const Totals = () => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const query = useQuery({ ...endpointQuery(dashboardEndpoints.census, {}), refetchInterval: loadMs });
  return (
    <DataState query={query} rows={2} height="8rem">
      {(census) => (
        <dl className="figures">
          <Figure label={t(($) => $.totals.projects)}>
            <PathLink to={paths.projectList()}>{formats.number(census.projects)}</PathLink>
          </Figure>
          <Figure
            label={t(($) => $.totals.devices)}
            note={
              census.online_rate === null
                ? null
                : t(($) => $.totals.online, { share: formats.percent(census.online_rate) })
            }
          >
            <PathLink to={paths.deviceList()}>{formats.number(census.devices)}</PathLink>
          </Figure>
          <Figure
            label={t(($) => $.totals.unprocessed)}
            note={
              <>
                <span>
                  <AlarmLevel level={2} compact /> {formats.number(census.unprocessed_alarms)}
                </span>
                <span>
                  <AlarmLevel level={1} compact /> {formats.number(census.unprocessed_early_warnings)}
                </span>
              </>
            }
          >
            <PathLink to={paths.alarmList({ status: 'unprocessed' })}>
              {formats.number(census.unprocessed)}
            </PathLink>
          </Figure>
          <Figure
            label={t(($) => $.totals.handling)}
            note={`${formats.number(census.month_processed)} / ${formats.number(census.month_raised)}`}
          >
            <PathLink to={paths.alarmList({ status: 'processed', from: census.month_from })}>
              {census.month_handling_rate === null ? '—' : formats.percent(census.month_handling_rate)}
            </PathLink>
          </Figure>
          <Figure
            label={t(($) => $.totals.lines)}
            note={[
              t(($) => $.totals.closed, { closed: formats.number(census.lines_closed) }),
              t(($) => $.totals.unknown, { unknown: formats.number(census.lines_unknown) }),
            ].join(' · ')}
          >
            <PathLink to={paths.projectList()}>{formats.number(census.lines)}</PathLink>
          </Figure>
          <Figure label={t(($) => $.totals.load)}>
            <PathLink to={paths.sitesBy('load')}>
              <Quantity value={census.load_w === null ? null : census.load_w / 1000} unit="kW" />
            </PathLink>
          </Figure>
          <Figure
            label={t(($) => $.totals.energy)}
            note={
              <>
                {t(($) => $.totals.yesterday)}{' '}
                <Quantity value={census.energy_yesterday_kwh} unit="kWh" digits={0} />
              </>
            }
          >
            <PathLink to={paths.sitesBy('energy')}>
              <Quantity value={census.energy_today_kwh} unit="kWh" digits={0} />
            </PathLink>
          </Figure>
        </dl>
      )}
    </DataState>
  );
};
