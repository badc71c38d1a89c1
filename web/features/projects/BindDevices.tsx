import { useQuery } from '@tanstack/react-query';
import { App, Button, Drawer, Form, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { sentence } from '#contract/faults/codes.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { deviceNumberPattern } from '#contract/telemetry.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { ScanButton } from '#web/parts/ScanButton.tsx';
import { useClear } from '#web/parts/use-clear.tsx';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { numbersIn, scannedNumber } from './device-numbers.ts';
import type { FoundDevice } from './projects.query.ts';
import { useRefreshProjects } from './projects.query.ts';

interface Values {
  numbers: string;
  part_id?: number;
}

/** Binds devices to a project by their numbers: one, a list, or codes read by the camera. */
export const BindDevices = ({
  project,
  onClose,
}: {
  project: { id: number; name: string };
  onClose: () => void;
}) => {
  const { t } = useTranslation('projects');
  const { message } = App.useApp();
  useFocusBack();
  const clear = useClear();
  const reload = useReload(deviceEndpoints.list);
  const refresh = useRefreshProjects();
  const [form] = Form.useForm<Values>();
  const mayAdd = useCan('device.create');
  const [found, setFound] = useState<FoundDevice[] | null>(null);
  const parts = useQuery(endpointQuery(projectEndpoints.parts, { project_id: project.id }));
  const bindable = (found ?? []).filter(({ state }) => state === 'unbound' || state === 'elsewhere');

  const { busy: checking, submit: check } = useSubmit(form, async ({ numbers }: Values) => {
    const { list } = await call(projectEndpoints.findDevices, {
      project_id: project.id,
      numbers: numbersIn(numbers),
    });
    setFound(list);
  });
  const { busy: binding, submit: bind } = useSubmit(form, async ({ part_id }: Values) => {
    const { results, job_id } = await call(deviceEndpoints.bind, {
      project_id: project.id,
      device_ids: bindable.map(({ device_id }) => device_id!),
      ...(part_id === undefined ? {} : { part_id }),
    });
    const failed = results.filter(({ result }) => result !== 'done');
    if (failed.length > 0) {
      const numberOf = (id: number) => bindable.find(({ device_id }) => device_id === id)?.number ?? id;
      void message.warning(failed.map(({ id, message: why }) => `${numberOf(id)}: ${why ?? ''}`).join('; '));
    } else void message.success(t(($) => (job_id === null ? $.bind.done : $.bind.begun)));
    await Promise.all([refresh(), reload()]);
    if (failed.length === 0) onClose();
    else setFound(null);
  });
  const take = (code: string) => {
    const number = scannedNumber(code);
    if (number === null) return void message.warning(t(($) => $.bind.noNumber));
    const typed = (form.getFieldValue('numbers') as string | undefined) ?? '';
    form.setFieldsValue({ numbers: [...new Set([...numbersIn(typed), number])].join('\n') });
    setFound(null);
  };
  return (
    <Drawer
      open
      size={480}
      title={t(($) => $.bind.title, { name: project.name })}
      onClose={onClose}
      footer={
        <div className="drawer-foot">
          <Button onClick={() => form.submit()} loading={checking}>
            {t(($) => $.bind.check)}
          </Button>
          <Button
            type="primary"
            disabled={bindable.length === 0}
            loading={binding}
            onClick={() => void bind(form.getFieldsValue())}
          >
            {t(($) => $.bind.act, { count: bindable.length })}
          </Button>
        </div>
      }
    >
      <Form
        form={form}
        layout="vertical"
        onFinish={(values) => void check(values)}
        onValuesChange={(changed) => 'numbers' in changed && setFound(null)}
      >
        <Form.Item
          name="numbers"
          label={t(($) => $.bind.numbers)}
          extra={t(($) => $.bind.how)}
          required
          rules={[
            {
              validator: (_rule, typed: string | undefined) => {
                const numbers = numbersIn(typed ?? '');
                const isFine = numbers.length > 0 && numbers.every((each) => deviceNumberPattern.test(each));
                return isFine
                  ? Promise.resolve()
                  : Promise.reject(new Error(sentence('device.number', currentLanguage())));
              },
            },
          ]}
        >
          <Input.TextArea rows={5} spellCheck={false} autoFocus />
        </Form.Item>
        <div className="bind-scan">
          <ScanButton label={t(($) => $.bind.scan)} onScan={take} />
        </div>
        {(parts.data?.list.length ?? 0) > 0 && (
          <Form.Item name="part_id" label={t(($) => $.part.one)}>
            <Select
              allowClear={clear}
              options={parts.data!.list.map(({ part_id, name }) => ({ value: part_id, label: name }))}
            />
          </Form.Item>
        )}
      </Form>
      <ul className="plain-list bind-found" aria-live="polite">
        {(found ?? []).map((device) => (
          <li key={device.number}>
            <span className="tabular">{device.number}</span> <span>{device.name}</span>
            <span className={device.state === 'missing' ? 'is-alarm' : 'soft'}>
              {t(($) => $.bind.state[device.state], { project: device.project_name })}{' '}
              {device.state === 'missing' && mayAdd && (
                <PathLink to={paths.deviceList({ add: '1', number: device.number, project_id: project.id })}>
                  {t(($) => $.bind.register)}
                </PathLink>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Drawer>
  );
};
