import { App } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { countOf } from '#web/parts/table/types.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import {
  type DeviceActed,
  type DeviceOutcome,
  type DeviceRow,
  type Named,
  namedBody,
  useReloadDevices,
} from './devices.query.ts';

/**
 * Acts on several devices of a list, or on all that its filter matches. The result of each act is kept until
 * it was read; `onJob` shows one that becomes a job.
 */
export const useDeviceActs = (
  rows: readonly DeviceRow[],
  filter: InputOf<typeof deviceEndpoints.export>,
  onJob: (jobId: string) => void,
) => {
  const { t } = useTranslation('devices');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const reload = useReloadDevices();
  const [outcomes, setOutcomes] = useState<readonly DeviceOutcome[] | null>(null);
  const [isDelete, setIsDelete] = useState(false);
  /** Numbers of the affected rows, or the text for all matching ones. */
  const namesOf = (named: Named): string =>
    named.kind === 'filter'
      ? t(($) => $.everyMatch, { count: named.total })
      : rows
          .filter(({ device_id }) => named.ids.includes(device_id))
          .map(({ number }) => number)
          .slice(0, 10)
          .join(', ');
  const showResult = ({ results, job_id }: DeviceActed, done: string, kind?: 'delete' | 'unbind') => {
    setIsDelete(kind === 'delete');
    if (job_id !== null) onJob(job_id);
    else if (results.some(({ result }) => result !== 'done')) setOutcomes(results);
    else void message.success(done);
  };

  const ask = (kind: 'unbind' | 'delete', named: Named) =>
    confirm({
      title: t(($) => $[kind].title, { count: countOf(named) }),
      content: (
        <>
          <p className="tabular">{namesOf(named)}</p>
          <p>{t(($) => $[kind].text)}</p>
        </>
      ),
      okText: t(($) => $[kind].act),
      danger: true,
    });
  const run = async (kind: 'unbind' | 'delete', named: Named) => {
    if (!(await ask(kind, named))) return;
    const endpoint = kind === 'unbind' ? deviceEndpoints.remove : deviceEndpoints.delete;
    await attempt(async () => {
      const acted = await call(endpoint, namedBody(named, filter));
      showResult(
        acted,
        t(($) => $[kind].done),
        kind,
      );
    });
    await reload();
  };
  return {
    namesOf,
    showResult,
    unbind: (named: Named) => run('unbind', named),
    remove: (named: Named) => run('delete', named),
    outcomes,
    isDelete,
    close: () => setOutcomes(null),
  };
};
