import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { timerEndpoints } from '#contract/timers.ts';
import { endpointQuery } from '#web/api/query.ts';
import { late } from '#web/parts/late.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { TimerList } from './TimerList.tsx';
import { type TimerView, timerSearch, timerViews, withinOf } from './timer-search.ts';
import './timers.css';
import { refusalId, useMaySetTimers } from './may-set-timers.ts';
import { useLiveTimers } from './timers.query.ts';

const WeekGrid = late(async () => (await import('./WeekGrid.tsx')).WeekGrid);
const NextDays = late(async () => (await import('./NextDays.tsx')).NextDays);
const TimerRuns = late(async () => (await import('./TimerRuns.tsx')).TimerRuns);
const TimerDrawer = lateDialog(async () => (await import('./TimerDrawer.tsx')).TimerDrawer);

/**
 * The timers of the address: as a list, a week, the next days, and their results. Without a picker they
 * belong to one device, whose number in the address is not a filter.
 */
export const TimersView = ({ picker }: { picker?: ReactNode }) => {
  const { t } = useTranslation('timers');
  const [search, setSearch] = useUrlState(timerSearch);
  const may = useMaySetTimers();
  const cut = useCutRefusal();
  useDialogsAhead(may && TimerDrawer);
  useLiveTimers();
  const within = withinOf(search);
  const { device_id, line_id, timer, view } = search;
  const edited = useQuery({
    ...endpointQuery(timerEndpoints.read, { timer_id: typeof timer === 'number' ? timer : 0 }),
    enabled: typeof timer === 'number',
    staleTime: 0,
  });
  const pick = may ? (timerId: number) => setSearch({ timer: timerId }, { push: true }) : null;
  const close = () => setSearch({ timer: undefined });
  return (
    <>
      <div className="timer-tools">
        {picker}
        <Segmented<TimerView>
          value={view}
          onChange={(chosen) => setSearch({ view: chosen === 'list' ? undefined : chosen })}
          options={timerViews.map((value) => ({ value, label: t(($) => $.view[value]) }))}
        />
        {may && (
          <Button
            type="primary"
            icon={<PlusOutlined />}
            disabled={cut !== null}
            aria-describedby={cut === null ? undefined : refusalId}
            onClick={() => setSearch({ timer: 'new' }, { push: true })}
          >
            {t(($) => $.add.act)}
          </Button>
        )}
      </div>
      {may && cut !== null && (
        <p id={refusalId} className="soft">
          {cut}
        </p>
      )}
      {view === 'list' && (
        <TimerList search={search} onChange={setSearch} onPick={pick} isOfDevice={!picker} />
      )}
      {view === 'week' && <WeekGrid within={within} onPick={pick} />}
      {view === 'days' && <NextDays within={within} onPick={pick} />}
      {view === 'runs' && <TimerRuns within={within} />}
      {may && timer === 'new' && <TimerDrawer timer={null} start={{ device_id, line_id }} onClose={close} />}
      {may && typeof timer === 'number' && edited.data?.timer_id === timer && (
        <TimerDrawer key={timer} timer={edited.data} start={{}} onClose={close} />
      )}
    </>
  );
};
