import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmResults, type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { attempt } from '#web/api/attempt.ts';
import { type CallOptions, call } from '#web/api/call.ts';
import { late } from '#web/parts/late.tsx';
import { countOf, type Selection } from '#web/parts/table/types.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import type { AlarmFilterInput } from './alarm-search.ts';
import { useAlarmsChanged } from './alarms.query.ts';
import { useRefusalWords } from './outbox/use-refusal-words.ts';

const BatchResult = late(async () => (await import('#web/parts/BatchResult.tsx')).BatchResult);
const [undoKey, undoSeconds] = ['undo-shelving', 10];

/** Handling, reminding and deleting alarms, with the result of each row. `renew` updates rows of the list. */
export const useAlarmActs = (
  rows: readonly AlarmRow[],
  filter: AlarmFilterInput,
  renew?: (ids: readonly number[]) => Promise<void>,
) => {
  const { t } = useTranslation('alarms');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const changed = useAlarmsChanged();
  const wordsOf = useRefusalWords();
  const [results, setResults] = useState<AlarmResults | null>(null);

  const bodyOf = (selection: Selection) =>
    selection.kind === 'filter'
      ? { filter, expected: selection.total }
      : { ids: selection.kind === 'rows' ? [...selection.ids] : [] };
  const settle = async (done: AlarmResults, selection: Selection, undo?: () => void) => {
    const ids = selection.kind === 'rows' ? selection.ids : null;
    await changed(ids !== null && renew !== undefined);
    if (ids !== null) await renew?.(ids);
    if (done.skipped + done.denied > 0) setResults(done);
    else if (undo === undefined) void message.success(t(($) => $.done, { count: done.done }));
    else
      void message.success({
        key: undoKey,
        duration: undoSeconds,
        content: (
          <>
            {t(($) => $.done, { count: done.done })}{' '}
            <Button
              type="link"
              size="small"
              onClick={() => {
                message.destroy(undoKey);
                undo();
              }}
            >
              {t(($) => $.queue.undo)}
            </Button>
          </>
        ),
      });
  };
  const run = async (selection: Selection, act: () => Promise<AlarmResults>) => {
    await attempt(async () => {
      await settle(await act(), selection);
    });
  };

  const unshelve = (ids: readonly number[]) =>
    run({ kind: 'rows', ids }, () => call(alarmEndpoints.unshelve, { ids: [...ids] }));
  return {
    /** Throws Fault, so that the dialog can mark its field. */
    handle: async (selection: Selection, content: string, options?: CallOptions) => {
      const only = selection.kind === 'rows' && selection.ids.length === 1 ? selection.ids[0] : undefined;
      await settle(
        await (only === undefined
          ? call(alarmEndpoints.batchHandle, { ...bodyOf(selection), content })
          : call(alarmEndpoints.handle, { id: only, content }, options)),
        selection,
      );
    },
    urge: (selection: Selection) => run(selection, () => call(alarmEndpoints.urge, bodyOf(selection))),
    /** Throws Fault, so that the dialog can mark its field. */
    shelve: async (ids: readonly number[], given: { minutes: number; reason: string }) =>
      settle(
        await call(alarmEndpoints.shelve, { ids: [...ids], ...given }),
        { kind: 'rows', ids },
        () => void unshelve(ids),
      ),
    unshelve,
    remove: async (selection: Selection) => {
      const count = countOf(selection);
      const sure = await confirm({
        title: t(($) => $.remove.title, { count }),
        content: t(($) => $.remove.text),
        okText: t(($) => $.remove.act),
        danger: true,
      });
      if (sure) await run({ kind: 'none' }, () => call(alarmEndpoints.remove, bodyOf(selection)));
    },
    outcome: results && (
      <BatchResult
        outcomes={results.results}
        nameOf={(id) => rows.find((row) => row.id === id)?.work_order ?? `#${id}`}
        reasonOf={wordsOf}
        onClose={() => setResults(null)}
      />
    ),
  };
};
