import { useQueryClient } from '@tanstack/react-query';
import { App } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { useConfirm } from '../../parts/use-confirm.ts';
import { type DeviceOutcome, type DeviceRow, refreshDevices } from './devices.query.ts';

/** What can be done with several devices of a list; the outcome of each is kept until it was read. */
export const useDeviceActs = (rows: readonly DeviceRow[]) => {
  const { t } = useTranslation('devices');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const client = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly DeviceOutcome[] | null>(null);
  const namesOf = (ids: readonly number[]) =>
    rows.filter(({ device_id }) => ids.includes(device_id)).map(({ number }) => number);
  const tell = (results: readonly DeviceOutcome[], done: string) => {
    if (results.some(({ result }) => result !== 'done')) setOutcomes(results);
    else void message.success(done);
  };

  const ask = (kind: 'unbind' | 'delete', ids: readonly number[]) =>
    confirm({
      title: t(($) => $[kind].title, { count: ids.length }),
      content: (
        <>
          <p className="tabular">{namesOf(ids).slice(0, 10).join(', ')}</p>
          <p>{t(($) => $[kind].text)}</p>
        </>
      ),
      okText: t(($) => $[kind].act),
      danger: true,
    });
  const run = async (kind: 'unbind' | 'delete', ids: readonly number[]) => {
    if (!(await ask(kind, ids))) return;
    const endpoint = kind === 'unbind' ? deviceEndpoints.remove : deviceEndpoints.delete;
    try {
      const { results } = await call(endpoint, { device_ids: [...ids] });
      tell(
        results,
        t(($) => $[kind].done),
      );
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    } finally {
      await refreshDevices(client);
    }
  };
  return {
    namesOf,
    tell,
    unbind: (ids: readonly number[]) => run('unbind', ids),
    remove: (ids: readonly number[]) => run('delete', ids),
    outcomes,
    close: () => setOutcomes(null),
  };
};
