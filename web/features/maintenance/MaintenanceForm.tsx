import { useQuery } from '@tanstack/react-query';
import { Form, type FormInstance, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmName } from '#contract/alarm-names.ts';
import { alarmEndpoints } from '#contract/alarms.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { type MaintenanceRow, maintenanceEndpoints, maintenanceKinds } from '#contract/maintenance.ts';
import { maintenanceKindWords } from '#contract/maintenance-words.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { DateField } from '#web/parts/DateField.tsx';
import { DevicePicker } from '#web/parts/DevicePicker.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { ProjectPicker } from '#web/parts/ProjectPicker.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { ImageList } from './ImageList.tsx';
import { bodyOf, type MaintenanceValues, startOf, valuesOf } from './maintenance-form.ts';

const rule = zodRule(maintenanceEndpoints.add.body, bodyOf);

interface Start {
  project_id: number | undefined;
  device_id: number | undefined;
  alarm_id: number | undefined;
  line_id: number | undefined;
}
interface Props {
  /** The record to edit; null: a new one. */
  id: number | null;
  start: Start;
  /** Set if the form belongs to the view of this project. */
  fixedProject: { id: number; name: string } | null;
  onSaved: () => void;
  onClose: () => void;
}

/** Writes a maintenance record. */
export const MaintenanceForm = ({ id, ...props }: Props) => {
  const query = useQuery({
    ...endpointQuery(maintenanceEndpoints.read, { record_id: id ?? 0 }),
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
  });
  if (id === null) return <RecordForm {...props} record={null} />;
  return (
    <DataState query={query} rows={1}>
      {(record) => <RecordForm {...props} record={record} />}
    </DataState>
  );
};

const RecordForm = ({
  record,
  start,
  fixedProject,
  onSaved,
  onClose,
}: Omit<Props, 'id'> & { record: MaintenanceRow | null }) => {
  const { t } = useTranslation('maintenance');
  const [form] = Form.useForm<MaintenanceValues>();
  const [opened] = useState(() => Date.now());
  const save = async (values: MaintenanceValues) => {
    const body = bodyOf(values) as InputOf<typeof maintenanceEndpoints.add>;
    if (record)
      await call(maintenanceEndpoints.edit, {
        ...body,
        record_id: record.record_id,
        revision: record.revision,
      });
    else await call(maintenanceEndpoints.add, body);
    onSaved();
  };
  return (
    <FormDrawer
      open
      title={record ? t(($) => $.editTitle) : t(($) => $.addTitle)}
      form={form}
      initial={record ? valuesOf(record) : startOf(start, opened)}
      onSave={save}
      onClose={onClose}
    >
      <WhereFields record={record} fixedProject={fixedProject} form={form} />
      <Form.Item
        name="address"
        label={t(($) => $.column.address)}
        {...(record ? {} : { extra: t(($) => $.addressText) })}
        rules={[rule('address')]}
      >
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item
        name="maintenance_time"
        label={t(($) => $.column.time)}
        required
        rules={[rule('maintenance_time')]}
      >
        <DateField kind="moment" />
      </Form.Item>
      <Form.Item
        name="handler_name"
        label={t(($) => $.column.handler)}
        required
        rules={[rule('handler_name')]}
      >
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="handler_phone"
        label={t(($) => $.column.phone)}
        required
        rules={[rule('handler_phone')]}
      >
        <Input type="tel" autoComplete="off" />
      </Form.Item>
      <ReportFields />
      <Form.Item name="before_images" label={t(($) => $.before)} rules={[rule('before_images')]}>
        <ImageList label={t(($) => $.before)} />
      </Form.Item>
      <Form.Item name="after_images" label={t(($) => $.after)} rules={[rule('after_images')]}>
        <ImageList label={t(($) => $.after)} />
      </Form.Item>
    </FormDrawer>
  );
};

/** Project, kind, device with its lines, and the alarms of that place. */
const WhereFields = ({
  record,
  fixedProject,
  form,
}: Pick<Props, 'fixedProject'> & {
  record: MaintenanceRow | null;
  form: FormInstance<MaintenanceValues>;
}) => {
  const { t } = useTranslation('maintenance');
  const language = currentLanguage();
  const projectId = Form.useWatch('project_id', form);
  const deviceId = Form.useWatch('device_id', form) ?? null;
  const lines = useQuery({
    ...endpointQuery(lineEndpoints.list, { device_id: deviceId ?? 0 }),
    enabled: deviceId !== null,
  });
  const alarms = useQuery({
    ...endpointQuery(alarmEndpoints.list, {
      limit: 50,
      ...(deviceId === null ? {} : { device_id: deviceId }),
      ...(projectId === undefined ? {} : { project_id: projectId }),
    }),
    enabled: projectId !== undefined,
  });
  const known = record?.alarms ?? [];
  return (
    <>
      <Form.Item name="project_id" label={t(($) => $.column.project)} required rules={[rule('project_id')]}>
        <ProjectPicker
          disabled={fixedProject !== null}
          clearable={false}
          known={
            fixedProject
              ? [fixedProject]
              : record
                ? [{ id: record.project_id, name: record.project_name }]
                : []
          }
          onChange={() => form.setFieldsValue({ device_id: undefined, line_ids: [], alarm_ids: [] } as never)}
        />
      </Form.Item>
      <Form.Item name="kind" label={t(($) => $.column.kind)}>
        <Select
          options={maintenanceKinds.map((value) => ({ value, label: maintenanceKindWords[value][language] }))}
        />
      </Form.Item>
      <Form.Item name="device_id" label={t(($) => $.column.device)} rules={[rule('device_id')]}>
        <DevicePicker
          label={t(($) => $.column.device)}
          {...(projectId === undefined ? {} : { projectId })}
          onChange={() => form.setFieldsValue({ line_ids: [] })}
        />
      </Form.Item>
      {deviceId !== null && (
        <Form.Item name="line_ids" label={t(($) => $.column.lines)} rules={[rule('line_ids')]}>
          <Select
            mode="multiple"
            optionFilterProp="label"
            loading={lines.isFetching}
            options={(lines.data?.list ?? []).map(({ line_id, n, name }) => ({
              value: line_id,
              label: `${n} ${name}`,
            }))}
          />
        </Form.Item>
      )}
      <Form.Item name="alarm_ids" label={t(($) => $.column.alarms)} rules={[rule('alarm_ids')]}>
        <Select
          mode="multiple"
          optionFilterProp="label"
          loading={alarms.isFetching}
          options={[
            ...known.map(({ id, work_order, typeNumber }) => ({ id, work_order, typeNumber })),
            ...(alarms.data?.list ?? []).filter(({ id }) => !known.some((each) => each.id === id)),
          ].map(({ id, work_order, typeNumber }) => ({
            value: id,
            label: `${work_order} ${alarmName(language, typeNumber)}`,
          }))}
        />
      </Form.Item>
    </>
  );
};

const ReportFields = () => {
  const { t } = useTranslation('maintenance');
  const text = (
    name: 'content' | 'fault_content' | 'result' | 'suggestion',
    label: string,
    required = false,
  ) => (
    <Form.Item name={name} label={label} required={required} rules={[rule(name)]}>
      <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} maxLength={2000} />
    </Form.Item>
  );
  return (
    <>
      {text(
        'content',
        t(($) => $.column.content),
        true,
      )}
      {text(
        'fault_content',
        t(($) => $.column.fault),
      )}
      {text(
        'result',
        t(($) => $.column.result),
      )}
      {text(
        'suggestion',
        t(($) => $.column.suggestion),
      )}
    </>
  );
};
