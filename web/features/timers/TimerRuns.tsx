import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { timerEndpoints } from '#contract/timers.ts';
import { call } from '#web/api/call.ts';
import { keyOf } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { SwitchAction } from '#web/values/SwitchAction.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { lineLabel } from './line-label.ts';
import { RunOutcome } from './RunOutcome.tsx';
import type { Within } from './timer-search.ts';
import { allTimersQuery } from './timers.query.ts';
import { ZonedTime } from './ZonedTime.tsx';

/** Results of the runs, newest first; missed and skipped ones with their reason. */
export const TimerRuns = ({ within: { device_id, line_id } }: { within: Within }) => {
  const { t } = useTranslation('timers');
  const within = {
    ...(device_id === undefined ? {} : { device_id }),
    ...(line_id === undefined ? {} : { line_id }),
  };
  const timers = useQuery(allTimersQuery(within));
  const query = useInfiniteQuery({
    queryKey: [...keyOf(timerEndpoints.runs), within],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        timerEndpoints.runs,
        { ...within, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  return (
    <DataState
      query={query}
      rows={8}
      isEmpty={({ pages }) => pages.every(({ list }) => list.length === 0)}
      empty={t(($) => $.noRuns)}
    >
      {({ pages }) => (
        <section className="panel">
          <ul className="plain-list">
            {pages
              .flatMap(({ list }) => list)
              .map((run) => {
                const timer = timers.data?.list.find(({ timer_id }) => timer_id === run.timer_id);
                return (
                  <li key={`${run.timer_id} ${run.due_at}`} className="timer-run">
                    {timer ? (
                      <ZonedTime at={run.due_at} zone={timer.time_zone} />
                    ) : (
                      <TimeText at={run.due_at} />
                    )}
                    <SwitchAction action={run.action} />
                    <span className="timer-run-where">
                      {timer ? lineLabel(timer, true) : `#${run.line_id}`}
                    </span>
                    <RunOutcome run={run} />
                  </li>
                );
              })}
          </ul>
          {query.hasNextPage && (
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t(($) => $.more)}
            </Button>
          )}
        </section>
      )}
    </DataState>
  );
};
