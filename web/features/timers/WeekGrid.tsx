import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { weekdays } from '#contract/timers.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { DayGrid } from './DayGrid.tsx';
import { lineLabel } from './line-label.ts';
import type { Within } from './timer-search.ts';
import { weekOf } from './timer-week.ts';
import { allTimersQuery, type Timer } from './timers.query.ts';
import { useWeekdayNames } from './weekday-names.ts';

/** The weekly timers as a week. */
export const WeekGrid = ({
  within,
  onPick,
}: {
  within: Within;
  onPick: ((timerId: number) => void) | null;
}) => {
  const query = useQuery(allTimersQuery(within));
  return (
    <DataState query={query} rows={10}>
      {({ list, total }) => (
        <Week timers={list} total={total} onPick={onPick} oneDevice={'device_id' in within} />
      )}
    </DataState>
  );
};

export const Week = ({
  timers,
  total,
  oneDevice,
  onPick,
}: {
  timers: readonly Timer[];
  total: number;
  oneDevice: boolean;
  onPick: ((timerId: number) => void) | null;
}) => {
  const { t } = useTranslation('timers');
  const names = useWeekdayNames('long');
  const week = weekOf(timers);
  return (
    <>
      {total > timers.length && (
        <Alert type="info" showIcon title={t(($) => $.notAll, { shown: timers.length, count: total })} />
      )}
      <DayGrid
        onPick={onPick}
        days={weekdays.map((day) => ({
          key: day,
          title: names[day],
          slots: week[day].map(({ timer, conflict }) => ({
            key: String(timer.timer_id),
            timerId: timer.timer_id,
            time: timer.time,
            action: timer.action,
            where: lineLabel(timer, !oneDevice),
            tags: timer.tags,
            quiet: timer.enabled ? null : t(($) => $.disabled),
            ...(conflict
              ? { conflict: timer.action === 'open' ? ('wins' as const) : ('yields' as const) }
              : {}),
          })),
        }))}
      />
    </>
  );
};
