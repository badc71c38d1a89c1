import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox, Input, Modal } from 'antd';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { attempt } from '#web/api/attempt.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useKnown } from '#web/api/use-known.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { countOf, type Selection } from '#web/parts/table/types.ts';
import { useClear } from '#web/parts/use-clear.tsx';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { useRefusal } from '#web/parts/use-refusal.tsx';
import { OnlineBadge } from '#web/values/OnlineBadge.tsx';
import { ChangeList } from './ChangeList.tsx';
import type { Change } from './setting-edits.ts';
import type { SettingsDevice } from './settings.query.ts';

const mostListed = 200;

/** The same values for many devices of the type at once; offline devices get them later. */
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
  useFocusBack();
  const { t: tc } = useTranslation('common');
  const [typed, setTyped] = useState('');
  const clear = useClear();
  const prove = useProvenCall();
  const number = useDeferredValue(typed.trim());
  const [everyLine, setEveryLine] = useState(true);
  const [onlyProject, setOnlyProject] = useState(device.project_id !== null);
  const [selection, setSelection] = useState<Selection>({ kind: 'rows', ids: [device.device_id] });
  const [busy, setBusy] = useState(false);
  const filter = {
    type: device.type,
    ...(number === '' ? {} : { number }),
    ...(onlyProject && device.project_id !== null ? { project_id: device.project_id } : {}),
  };
  const query = useQuery(endpointQuery(deviceEndpoints.list, { ...filter, limit: mostListed }));
  const listed = query.data?.list ?? [];
  const total = useKnown(query)?.total;
  const cut = useCutRefusal();
  const refusal = useRefusal(cut ?? (query.isError ? t(($) => $.apply.unknown) : null));
  const picked = selection.kind === 'rows' ? selection.ids : listed.map(({ device_id }) => device_id);
  const all = listed.length > 0 && listed.every(({ device_id }) => picked.includes(device_id));
  const pick = (ids: readonly number[]) => setSelection({ kind: 'rows', ids });
  /**
   * A new filter ends 'all that match', which was chosen for the previous filter; single selected rows stay
   * selected.
   */
  const narrow = (change: () => void) => {
    if (selection.kind === 'filter') pick(picked);
    change();
  };

  const send = async () => {
    setBusy(true);
    const refusal = await attempt(async () => {
      const sent = await prove(deviceSettingEndpoints.set, {
        ...(selection.kind === 'filter'
          ? { filter, expected: selection.total }
          : { device_ids: [...picked] }),
        settings: changes.map(({ setting, after }) => ({
          key: setting.key,
          value: after,
          ...(setting.n > 0 && !everyLine ? { n: setting.n } : {}),
        })),
      });
      if (sent && sent.job_id !== null) onStarted(sent.job_id);
    });
    if (refusal) await query.refetch();
    setBusy(false);
  };
  return (
    <Modal
      open
      width={680}
      title={t(($) => $.apply.title)}
      okText={t(($) => $.apply.confirm, { count: countOf(selection) })}
      okButtonProps={{ ...refusal.button, disabled: refusal.button.disabled || countOf(selection) === 0 }}
      confirmLoading={busy}
      onOk={() => void send()}
      onCancel={onClose}
    >
      {refusal.text}
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
          allowClear={clear}
          aria-label={t(($) => $.apply.find)}
          placeholder={t(($) => $.apply.find)}
          value={typed}
          onChange={(event) => narrow(() => setTyped(event.target.value))}
        />
        {device.project_id !== null && (
          <Checkbox
            checked={onlyProject}
            onChange={({ target }) => narrow(() => setOnlyProject(target.checked))}
          >
            {t(($) => $.apply.onlyProject)}
          </Checkbox>
        )}
        <Checkbox
          checked={all}
          disabled={listed.length === 0}
          indeterminate={!all && picked.length > 0}
          onChange={({ target }) => pick(target.checked ? listed.map(({ device_id }) => device_id) : [])}
        >
          {t(($) => $.apply.all)}
        </Checkbox>
        {selection.kind === 'filter' ? (
          <strong role="status">{tc(($) => $.table.allSelected, { count: selection.total })}</strong>
        ) : (
          total !== undefined &&
          total > listed.length && (
            <Button type="link" onClick={() => setSelection({ kind: 'filter', total })}>
              {tc(($) => $.table.selectAll, { count: total })}
            </Button>
          )
        )}
      </div>
      <DataState query={query} rows={5}>
        {({ list }) => (
          <ul className="plain-list result-list">
            {list.map(({ device_id, number: shown, name, status }) => (
              <li key={device_id}>
                <Checkbox
                  checked={picked.includes(device_id)}
                  onChange={({ target }) =>
                    pick(target.checked ? [...picked, device_id] : picked.filter((id) => id !== device_id))
                  }
                >
                  <span className="tabular">{shown}</span> · {name}
                </Checkbox>
                <OnlineBadge online={status === 'online'} />
              </li>
            ))}
          </ul>
        )}
      </DataState>
    </Modal>
  );
};
