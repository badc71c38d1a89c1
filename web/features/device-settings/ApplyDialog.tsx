import { useQuery } from '@tanstack/react-query';
import { Checkbox, Input, Modal } from 'antd';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { endpointQuery } from '../../api/query.ts';
import { DataState } from '../../parts/DataState.tsx';
import { OnlineBadge } from '../../values/OnlineBadge.tsx';
import { ChangeList } from './ChangeList.tsx';
import type { Change } from './setting-edits.ts';
import type { SettingsDevice } from './settings.query.ts';

const mostListed = 200;

/** The same values for many devices of the type at once; those that are away get them when they are back. */
export const ApplyDialog = ({
  device,
  changes,
  onStarted,
  onClose,
}: {
  device: SettingsDevice;
  changes: readonly Change[];
  onStarted: (jobId: string) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('deviceSettings');
  const [typed, setTyped] = useState('');
  const number = useDeferredValue(typed.trim());
  const [everyLine, setEveryLine] = useState(true);
  const [onlyProject, setOnlyProject] = useState(device.project_id !== null);
  const [picked, setPicked] = useState<readonly number[]>([device.device_id]);
  const [busy, setBusy] = useState(false);
  const query = useQuery(
    endpointQuery(deviceEndpoints.list, {
      type: device.type,
      limit: mostListed,
      ...(number === '' ? {} : { number }),
      ...(onlyProject && device.project_id !== null ? { project_id: device.project_id } : {}),
    }),
  );
  const listed = query.data?.list ?? [];
  const all = listed.length > 0 && listed.every(({ device_id }) => picked.includes(device_id));

  const send = async () => {
    setBusy(true);
    try {
      const { job_id } = await call(deviceSettingEndpoints.set, {
        device_ids: [...picked],
        settings: changes.map(({ setting, after }) => ({
          key: setting.key,
          value: after,
          ...(setting.n > 0 && !everyLine ? { n: setting.n } : {}),
        })),
      });
      if (job_id !== null) onStarted(job_id);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      width={680}
      title={t(($) => $.apply.title)}
      okText={t(($) => $.apply.confirm, { count: picked.length })}
      okButtonProps={{ disabled: picked.length === 0 }}
      confirmLoading={busy}
      onOk={() => void send()}
      onCancel={onClose}
    >
      <ChangeList changes={changes} />
      {changes.some(({ setting }) => setting.n > 0) && (
        <p>
          <Checkbox checked={everyLine} onChange={({ target }) => setEveryLine(target.checked)}>
            {t(($) => $.apply.everyLine)}
          </Checkbox>
        </p>
      )}
      <div className="setting-tools">
        <Input.Search
          allowClear
          aria-label={t(($) => $.apply.find)}
          placeholder={t(($) => $.apply.find)}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {device.project_id !== null && (
          <Checkbox checked={onlyProject} onChange={({ target }) => setOnlyProject(target.checked)}>
            {t(($) => $.apply.onlyProject)}
          </Checkbox>
        )}
        <Checkbox
          checked={all}
          indeterminate={!all && picked.length > 0}
          onChange={({ target }) => setPicked(target.checked ? listed.map(({ device_id }) => device_id) : [])}
        >
          {t(($) => $.apply.all)}
        </Checkbox>
      </div>
      <DataState query={query} rows={5}>
        {({ list, total }) => (
          <>
            {total > list.length && (
              <p className="soft">{t(($) => $.apply.more, { shown: list.length, count: total })}</p>
            )}
            <ul className="plain-list result-list">
              {list.map(({ device_id, number: shown, name, status }) => (
                <li key={device_id}>
                  <Checkbox
                    checked={picked.includes(device_id)}
                    onChange={({ target }) =>
                      setPicked((before) =>
                        target.checked ? [...before, device_id] : before.filter((id) => id !== device_id),
                      )
                    }
                  >
                    <span className="tabular">{shown}</span> · {name}
                  </Checkbox>
                  <OnlineBadge online={status === 'online'} />
                </li>
              ))}
            </ul>
          </>
        )}
      </DataState>
    </Modal>
  );
};
