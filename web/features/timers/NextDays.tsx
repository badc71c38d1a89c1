import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { DataState } from '#web/parts/DataState.tsx';
import { DayGrid } from './DayGrid.tsx';
import { lineLabel } from './line-label.ts';
import type { Within } from './timer-search.ts';
import { allTimersQuery, type PlannedRun, previewQuery } from './timers.query.ts';
import { useDateText } from './weekday-names.ts';

const dayMs = 86_400_000;
/** The seven dates from the first on, with gaps filled. */
export const datesFrom = (first: string): string[] =>
  Array.from({ length: 7 }, (_, index) =>
    new Date(Date.parse(`${first}T00:00:00Z`) + index * dayMs).toISOString().slice(0, 10),
  );
const dateIn = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(new Date(at));

/** Every run of the next seven days, including clock changes; those of a resting timer say why they will not be. */
export const NextDays = ({
  within,
  onPick,
}: {
  within: Within;
  onPick: ((timerId: number) => void) | null;
}) => {
  const { t } = useTranslation('timers');
  const dateText = useDateText();
  const query = useQuery(previewQuery(within));
  const timers = useQuery(allTimersQuery(within));
  const placeOf = ({ timer_id }: PlannedRun) => {
    const timer = timers.data?.list.find((each) => each.timer_id === timer_id);
    return timer
      ? { where: lineLabel(timer, !('device_id' in within)), tags: timer.tags }
      : { where: '', tags: [] };
  };
  return (
    <DataState query={query} rows={10}>
      {({ runs, from, time_zone, truncated }) => {
        const conflicts = runs.filter(({ conflict, wins }) => conflict && wins).length;
        return (
          <>
            {conflicts > 0 && (
              <Alert type="warning" showIcon title={t(($) => $.conflict.count, { count: conflicts })} />
            )}
            {truncated && <Alert type="info" showIcon title={t(($) => $.truncated)} />}
            <DayGrid
              onPick={onPick}
              days={datesFrom(dateIn(from, time_zone)).map((date) => ({
                key: date,
                title: dateText(date),
                slots: runs
                  .filter((run) => run.date === date)
                  .map((run) => ({
                    key: `${run.timer_id} ${run.at}`,
                    timerId: run.timer_id,
                    time: run.time,
                    action: run.action,
                    quiet: run.rests,
                    ...placeOf(run),
                    ...(run.conflict ? { conflict: run.wins ? ('wins' as const) : ('yields' as const) } : {}),
                  })),
              }))}
            />
          </>
        );
      }}
    </DataState>
  );
};
