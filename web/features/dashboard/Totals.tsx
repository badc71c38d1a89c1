import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
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

/** A figure with its link, or its place while it is not loaded. */
const Shown = ({ to, children }: { to: string | undefined; children: ReactNode }) =>
  to === undefined ? (
    <span className="figure-place">{children}</span>
  ) : (
    <PathLink to={to}>{children}</PathLink>
  );

type Census = ReplyOf<typeof dashboardEndpoints.census>;

export const Totals = () => {
  const query = useQuery({ ...endpointQuery(dashboardEndpoints.census, {}), refetchInterval: loadMs });
  return (
    <DataState query={query} waiting={<Figures census={undefined} />}>
      {(census) => <Figures census={census} />}
    </DataState>
  );
};

/** Figures that are not loaded yet are dashes without links, so that the rows have their height at once. */
const Figures = ({ census }: { census: Census | undefined }) => {
  const { t } = useTranslation('dashboard');
  const { number, percent } = useFormats();
  const count = (pick: (census: Census) => number) => (census ? number(pick(census)) : '—');
  const share = (pick: (census: Census) => number | null) => {
    const value = census ? pick(census) : null;
    return value === null ? '—' : percent(value);
  };
  const watts = census?.load_w ?? null;
  return (
    <dl className="figures">
      <Figure label={t(($) => $.totals.projects)}>
        <Shown to={census && paths.projectList()}>{count(({ projects }) => projects)}</Shown>
      </Figure>
      <Figure
        label={t(($) => $.totals.devices)}
        note={
          census?.online_rate === null
            ? null
            : t(($) => $.totals.online, { share: share(({ online_rate }) => online_rate) })
        }
      >
        <Shown to={census && paths.deviceList()}>{count(({ devices }) => devices)}</Shown>
      </Figure>
      <Figure
        label={t(($) => $.totals.unprocessed)}
        note={
          <>
            <span>
              <AlarmLevel level={2} compact /> {count(({ unprocessed_alarms }) => unprocessed_alarms)}
            </span>
            <span>
              <AlarmLevel level={1} compact />{' '}
              {count(({ unprocessed_early_warnings }) => unprocessed_early_warnings)}
            </span>
          </>
        }
      >
        <Shown to={census && paths.alarmList({ status: 'unprocessed' })}>
          {count(({ unprocessed }) => unprocessed)}
        </Shown>
      </Figure>
      <Figure
        label={t(($) => $.totals.handling)}
        note={`${count(({ month_processed }) => month_processed)} / ${count(({ month_raised }) => month_raised)}`}
      >
        <Shown to={census && paths.alarmList({ status: 'processed', from: census.month_from })}>
          {share(({ month_handling_rate }) => month_handling_rate)}
        </Shown>
      </Figure>
      <Figure
        label={t(($) => $.totals.lines)}
        note={[
          t(($) => $.totals.closed, { closed: count(({ lines_closed }) => lines_closed) }),
          t(($) => $.totals.unknown, { unknown: count(({ lines_unknown }) => lines_unknown) }),
        ].join(' · ')}
      >
        <Shown to={census && paths.projectList()}>{count(({ lines }) => lines)}</Shown>
      </Figure>
      <Figure label={t(($) => $.totals.load)}>
        <Shown to={census && paths.sitesBy('load')}>
          <Quantity value={watts === null ? null : watts / 1000} unit="kW" />
        </Shown>
      </Figure>
      <Figure
        label={t(($) => $.totals.energy)}
        note={
          <>
            {t(($) => $.totals.yesterday)}{' '}
            <Quantity value={census?.energy_yesterday_kwh ?? null} unit="kWh" digits={0} />
          </>
        }
      >
        <Shown to={census && paths.sitesBy('energy')}>
          <Quantity value={census?.energy_today_kwh ?? null} unit="kWh" digits={0} />
        </Shown>
      </Figure>
    </dl>
  );
};
