import { useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timerEndpoints } from '#contract/timers.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useCan } from '#web/api/session.ts';
import type { RowOutcome } from '#web/parts/BatchResult.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import type { FilterField } from '#web/parts/filter-types.ts';
import { choiceOf } from '#web/parts/filter-types.ts';
import { late } from '#web/parts/late.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import { RemoveSelected, removeAct } from '#web/parts/table/remove.tsx';
import type { Selection } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { SwitchAction } from '#web/values/SwitchAction.tsx';
import { lineLabel } from './line-label.ts';
import { type TimerSearch, timerFilters } from './timer-search.ts';
import { type Timer, timersQuery, useTimersChanged } from './timers.query.ts';
import { useTimerColumns } from './use-timer-columns.tsx';

const BatchResult = late(async () => (await import('#web/parts/BatchResult.tsx')).BatchResult);

export const TimerList = ({
  search,
  onChange,
  onPick,
  isOfDevice,
}: {
  search: TimerSearch;
  onChange: SetUrl;
  /** Null for a reader who may not set timers. */
  onPick: ((timerId: number) => void) | null;
  /** The page belongs to one device: neither device nor project can be chosen. */
  isOfDevice: boolean;
}) => {
  const mayDelete = useCan('timer.write');
  const { t } = useTranslation('timers');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const query = useQuery(timersQuery(search));
  const columns = useTimerColumns();
  const confirm = useConfirm();
  const changed = useTimersChanged();
  const [outcomes, setOutcomes] = useState<readonly RowOutcome[] | null>(null);
  const rows = query.data?.list ?? [];
  const nameOf = (id: number) => {
    const row = rows.find(({ timer_id }) => timer_id === id);
    return row ? `${row.time} · ${lineLabel(row, true)}` : `#${id}`;
  };

  const remove = async (ids: readonly number[]) => {
    const sure = await confirm({
      title: t(($) => $.remove.title, { count: ids.length }),
      content: (
        <>
          <ul className="plain-list">
            {rows
              .filter(({ timer_id }) => ids.includes(timer_id))
              .slice(0, 10)
              .map((row) => (
                <li key={row.timer_id}>
                  <span className="nowrap">
                    {row.time} <SwitchAction action={row.action} />
                  </span>
                  <span>{lineLabel(row, true)}</span>
                </li>
              ))}
          </ul>
          <p>{t(($) => $.remove.text)}</p>
        </>
      ),
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      const { results } = await call(timerEndpoints.remove, { timer_ids: [...ids] });
      if (results.some(({ result }) => result !== 'done')) setOutcomes(results);
      else void message.success(t(($) => $.remove.done));
    });
    await changed();
  };
  const filters = timerFilters(search);
  const ofProject: FilterField = { kind: 'project', name: 'project_id', label: t(($) => $.field.project) };
  const fields: FilterField[] = [
    ...(isOfDevice ? [] : [ofProject]),
    choiceOf(
      'action',
      t(($) => $.field.action),
      ['close', 'open'] as const,
      (value) => tc(($) => $.command.action[value]),
    ),
    {
      kind: 'choice',
      name: 'enabled',
      label: t(($) => $.field.enabled),
      options: [
        { value: 'true', label: t(($) => $.enabled) },
        { value: 'false', label: t(($) => $.disabled) },
      ],
    },
    choiceOf(
      'run_by',
      t(($) => $.field.runBy),
      ['server', 'device'] as const,
      (value) => t(($) => $.runBy[value]),
    ),
    choiceOf(
      'sync',
      t(($) => $.field.sync),
      ['synced', 'pending', 'conflict'] as const,
      (value) => t(($) => $.sync[value]),
    ),
  ];
  const chosen = Object.keys(filters).filter((name) => !isOfDevice || name !== 'device_id');
  return (
    <>
      <DataTable<Timer>
        id="timers"
        label={t(($) => $.title)}
        columns={columns}
        rowId={({ timer_id }) => timer_id}
        rowName={(row) => nameOf(row.timer_id)}
        query={query}
        state={search}
        onState={onChange}
        filtered={chosen.length > 0}
        onResetFilters={() => onChange(Object.fromEntries(chosen.map((name) => [name, undefined])))}
        filters={fields}
        tools={<ExportButton endpoint={timerEndpoints.export} body={filters} fileName={t(($) => $.title)} />}
        empty={t(($) => (onPick ? $.emptyFirst : $.empty))}
        {...(mayDelete
          ? {
              actions: (row) => (
                <RowActs
                  name={nameOf(row.timer_id)}
                  {...(onPick
                    ? {
                        first: {
                          key: 'edit',
                          label: t(($) => $.edit.act),
                          onClick: () => onPick(row.timer_id),
                        },
                      }
                    : {})}
                  rest={[
                    removeAct(
                      t(($) => $.remove.act),
                      () => void remove([row.timer_id]),
                    ),
                  ]}
                />
              ),
              bulk: (selection: Selection, clear: () => void) => (
                <RemoveSelected
                  selection={selection}
                  clear={clear}
                  label={t(($) => $.remove.act)}
                  onRemove={remove}
                />
              ),
            }
          : {})}
      />
      {outcomes && (
        <BatchResult
          outcomes={outcomes}
          nameOf={nameOf}
          reasonOf={(reason) => reason}
          isDelete
          onClose={() => setOutcomes(null)}
        />
      )}
    </>
  );
};
