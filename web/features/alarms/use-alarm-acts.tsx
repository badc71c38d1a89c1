import { App } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmResults, type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { late } from '../../parts/late.tsx';
import { countOf, type Selection } from '../../parts/table/types.ts';
import { useConfirm } from '../../parts/use-confirm.ts';
import type { AlarmFilterInput } from './alarm-search.ts';
import { useAlarmsChanged } from './alarms.query.ts';

const BatchResult = late(async () => (await import('../../parts/BatchResult.tsx')).BatchResult);
const reasons = ['processed', 'unprocessed', 'active', 'ended', 'recently', 'unshelved', 'missing'] as const;

/** Handling, urging and deleting alarms, with the result of each row. */
export const useAlarmActs = (rows: readonly AlarmRow[], filter: AlarmFilterInput) => {
  const { t } = useTranslation('alarms');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const changed = useAlarmsChanged();
  const [results, setResults] = useState<AlarmResults | null>(null);

  const bodyOf = (selection: Selection) =>
    selection.kind === 'filter'
      ? { filter, expected: selection.total }
      : { ids: selection.kind === 'rows' ? [...selection.ids] : [] };
  const settle = async (done: AlarmResults) => {
    await changed();
    if (done.skipped + done.denied > 0) setResults(done);
    else void message.success(t(($) => $.done, { count: done.done }));
  };
  const told = async (act: () => Promise<AlarmResults>) => {
    try {
      await settle(await act());
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  };

  return {
    /** Throws Fault, so that the dialog can mark its field. */
    handle: async (selection: Selection, content: string) => {
      const only = selection.kind === 'rows' && selection.ids.length === 1 ? selection.ids[0] : undefined;
      await settle(
        await (only === undefined
          ? call(alarmEndpoints.batchHandle, { ...bodyOf(selection), content })
          : call(alarmEndpoints.handle, { id: only, content })),
      );
    },
    urge: (selection: Selection) => told(() => call(alarmEndpoints.urge, bodyOf(selection))),
    /** Throws Fault, so that the dialog can mark its field. */
    shelve: async (ids: readonly number[], given: { minutes: number; reason: string }) =>
      settle(await call(alarmEndpoints.shelve, { ids: [...ids], ...given })),
    unshelve: (ids: readonly number[]) => told(() => call(alarmEndpoints.unshelve, { ids: [...ids] })),
    remove: async (selection: Selection) => {
      const count = countOf(selection);
      const sure = await confirm({
        title: t(($) => $.remove.title, { count }),
        content: t(($) => $.remove.text),
        okText: t(($) => $.remove.act),
        danger: true,
      });
      if (sure) await told(() => call(alarmEndpoints.remove, bodyOf(selection)));
    },
    outcome: results && (
      <BatchResult
        outcomes={results.results}
        nameOf={(id) => rows.find((row) => row.id === id)?.work_order ?? `#${id}`}
        reasonOf={(reason) => {
          const known = reasons.find((each) => each === reason);
          return known ? t(($) => $.reason[known]) : reason;
        }}
        onClose={() => setResults(null)}
      />
    ),
  };
};
