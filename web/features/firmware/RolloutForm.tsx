import { useQuery } from '@tanstack/react-query';
import { Alert, App, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { type FirmwareVersion, firmwareEndpoints } from '#contract/firmware.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useKnown } from '#web/api/use-known.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { ProjectsPicker } from '#web/parts/ProjectPicker.tsx';
import { isNewer } from './newer.ts';

interface Values {
  project_ids?: number[];
  from_versions?: string[];
  canary_percent: number;
  wave_percent: number;
  per_minute: number;
  step_minutes: number;
  stop_percent: number;
  password?: string;
}
const initial = { canary_percent: 5, wave_percent: 25, per_minute: 20, step_minutes: 15, stop_percent: 10 };
const choices = {
  canary_percent: [1, 5, 10, 20, 100],
  wave_percent: [5, 10, 25, 50, 100],
  per_minute: [1, 5, 20, 60, 200, 600],
  stop_percent: [0, 2, 5, 10, 25, 50],
} as const;
const steps = [5, 10, 15, 30, 60, 120, 240] as const;

/**
 * Starts a rollout: which devices, how fast, when to stop; it shows how many devices it will reach before it
 * asks for the password.
 */
export const RolloutForm = ({
  version,
  onClose,
  onBegun,
}: {
  version: FirmwareVersion | null;
  onClose: () => void;
  onBegun: (rolloutId: number) => void;
}) => {
  const { t } = useTranslation('firmware');
  const { message } = App.useApp();
  const { number } = useFormats();
  const reload = useReload(firmwareEndpoints.rollouts);
  const [form] = Form.useForm<Values>();
  const given = Form.useWatch([], form) as Partial<Values> | undefined;
  const target = {
    version_id: version?.version_id ?? 1,
    ...(given?.project_ids?.length ? { project_ids: given.project_ids } : {}),
    ...(given?.from_versions?.length ? { from_versions: given.from_versions } : {}),
  };
  const preview = useQuery({
    ...endpointQuery(firmwareEndpoints.preview, target),
    enabled: version !== null,
  });
  const reached = useKnown(preview)?.devices;
  const begin = async ({ password, project_ids: _ids, from_versions: _from, ...how }: Values) => {
    if (reached === undefined) return false;
    const rollout = await call(firmwareEndpoints.start, {
      ...target,
      ...how,
      expected: reached,
      password: password ?? '',
    });
    void message.success(t(($) => $.rollout.begun));
    await reload();
    return () => onBegun(rollout.rollout_id);
  };
  const numbers = ['canary_percent', 'wave_percent', 'per_minute', 'stop_percent'] as const;
  const labels = {
    canary_percent: t(($) => $.rollout.canary),
    wave_percent: t(($) => $.rollout.wave),
    per_minute: t(($) => $.rollout.pace),
    stop_percent: t(($) => $.rollout.stop),
  };
  return (
    <FormDrawer
      open={version !== null}
      title={t(($) => $.rollout.startTitle, {
        version: version?.appVersion ?? '',
        type: version?.mac_name ?? '',
      })}
      form={form}
      initial={initial}
      saveText={t(($) => $.rollout.start)}
      refusal={reached === undefined ? t(($) => $.rollout.reachUnknown) : null}
      onSave={begin}
      onClose={onClose}
    >
      <Form.Item name="project_ids" label={t(($) => $.rollout.projects)}>
        <ProjectsPicker placeholder={t(($) => $.rollout.all)} />
      </Form.Item>
      <Form.Item name="from_versions" label={t(($) => $.rollout.from)}>
        <Select
          mode="multiple"
          placeholder={t(($) => $.rollout.any)}
          options={(preview.data?.versions ?? [])
            .filter((each) => each.version !== version?.appVersion)
            .map((each) => ({
              value: each.version,
              label: `${each.version || '—'} (${number(each.devices)})`,
            }))}
        />
      </Form.Item>
      {numbers.map((name) => (
        <Form.Item key={name} name={name} label={labels[name]}>
          <Select options={choices[name].map((value) => ({ value, label: number(value) }))} />
        </Form.Item>
      ))}
      <Form.Item name="step_minutes" label={t(($) => $.rollout.step)}>
        <Select
          options={steps.map((value) => ({ value, label: t(($) => $.rollout.minutes, { count: value }) }))}
        />
      </Form.Item>
      <DataState query={preview} rows={3}>
        {({ devices, online, already, busy, tagged, critical, versions }) => (
          <>
            <LowVersion versions={versions} than={version?.appVersion ?? ''} />
            <Alert
              type={devices === 0 ? 'info' : 'warning'}
              showIcon
              className="rollout-reach"
              title={t(($) => $.rollout.reach, { count: devices, online: number(online) })}
              description={
                <>
                  <p>{t(($) => $.rollout.left, { already: number(already), busy: number(busy) })}</p>
                  {tagged > 0 && <p>{t(($) => $.rollout.tagged, { count: tagged })}</p>}
                  {critical > 0 && <p>{t(($) => $.rollout.critical, { count: critical })}</p>}
                  <p>{t(($) => $.rollout.consequence)}</p>
                </>
              }
            />
          </>
        )}
      </DataState>
      <Form.Item name="password" label={t(($) => $.rollout.password)}>
        <Input.Password autoComplete="current-password" maxLength={200} />
      </Form.Item>
    </FormDrawer>
  );
};

/** Warns before devices go back to an older version than they run. */
const LowVersion = ({
  versions,
  than,
}: {
  versions: readonly { version: string; devices: number }[];
  than: string;
}) => {
  const { t } = useTranslation('firmware');
  const newer = versions.filter((each) => isNewer(each.version, than));
  if (newer.length === 0) return null;
  const count = newer.reduce((sum, each) => sum + each.devices, 0);
  const names = newer.map((each) => each.version).join(', ');
  return <Alert type="error" showIcon title={t(($) => $.rollout.low, { count, versions: names })} />;
};
