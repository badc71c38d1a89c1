import { useQuery } from '@tanstack/react-query';
import { App, Form, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { projectKindWords } from '#contract/columns.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { nominalVoltages, projectEndpoints, projectKinds } from '#contract/projects.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberRule } from '#web/parts/number-flaw.ts';
import { passwordRule } from '#web/parts/password-rule.ts';
import { RegionField } from '#web/parts/RegionField.tsx';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { useUnit } from '#web/values/use-unit.ts';
import { PlaceFields } from './PlaceFields.tsx';
import { type ProjectDetail, useRefreshProjects } from './projects.query.ts';
import { zoneOptions } from './zones.ts';

type Added = InputOf<typeof projectEndpoints.add>;
type Values = Partial<Omit<Added, 'region_id' | 'area_m2' | 'contract_kw'>> & {
  region_id?: number;
  area_m2?: number | null;
  contract_kw?: number | null;
};
const contractedPower = { min: 0, max: 10_000_000, digits: 1 };
const area = { min: 0, max: 100_000_000, digits: 2 };

/** Adds a project with its administrator's account, or edits one. */
export const ProjectForm = ({ id, onClose }: { id: number | 'new'; onClose: () => void }) => {
  const { t } = useTranslation('projects');
  const query = useQuery({
    ...endpointQuery(projectEndpoints.form, { project_id: id === 'new' ? 0 : id }),
    enabled: id !== 'new',
    staleTime: 0,
    gcTime: 0,
  });
  if (id === 'new') return <ProjectDrawer project={null} title={t(($) => $.add.title)} onClose={onClose} />;
  return (
    <DataState query={query} rows={1}>
      {(project) => (
        <ProjectDrawer
          project={project}
          title={t(($) => $.edit.title, { name: project.name })}
          onClose={onClose}
        />
      )}
    </DataState>
  );
};

const ProjectDrawer = ({
  project,
  title,
  onClose,
}: {
  project: ProjectDetail | null;
  title: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation('projects');
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const refresh = useRefreshProjects();
  const prove = useProvenCall();
  const mayMove = useCan('project.create');
  const language = currentLanguage();
  const ofProject = project && { project_id: project.project_id, revision: project.revision };
  const rule = project
    ? zodRule(projectEndpoints.edit.body, (values) => ({ ...values, ...ofProject }))
    : zodRule(projectEndpoints.add.body);

  const save = async (values: Values) => {
    if (ofProject) {
      const { region_id, ...rest } = values;
      const edit = {
        ...rest,
        ...ofProject,
        ...(mayMove && region_id !== undefined ? { region_id } : {}),
      } as InputOf<typeof projectEndpoints.edit>;
      const done = await prove(projectEndpoints.edit, { ...edit });
      if (!done) return false;
      void message.success(t(($) => $.edit.done));
    } else {
      const { username } = await call(projectEndpoints.add, values as Added);
      void message.success(
        t(($) => $.add.done, { username }),
        8,
      );
    }
    await refresh();
    return true;
  };
  return (
    <FormDrawer
      open
      title={title}
      form={form}
      initial={
        project ? valuesOf(project) : { kind: 'other', time_zone: 'Asia/Shanghai', nominal_voltage: 220 }
      }
      first="name"
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
        <Input maxLength={60} autoComplete="off" />
      </Form.Item>
      <Form.Item name="kind" label={t(($) => $.column.kind)} rules={[rule('kind')]}>
        <Select
          options={projectKinds.map((value) => ({ value, label: projectKindWords[value][language] }))}
        />
      </Form.Item>
      <Form.Item name="region_id" label={t(($) => $.column.region)} required rules={[rule('region_id')]}>
        {project && !mayMove ? <span>{project.region}</span> : <RegionField known={project?.region} />}
      </Form.Item>
      <Form.Item name="address" label={t(($) => $.column.address)} rules={[rule('address')]}>
        <Input maxLength={200} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="detailed_address"
        label={t(($) => $.column.detailed)}
        rules={[rule('detailed_address')]}
      >
        <Input maxLength={200} autoComplete="off" />
      </Form.Item>
      <PlaceFields name={project?.name ?? t(($) => $.add.title)} />
      <Form.Item
        name="contact_name"
        label={t(($) => $.column.contact)}
        required
        rules={[rule('contact_name')]}
      >
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="contact_phone"
        label={t(($) => $.column.phone)}
        required
        rules={[rule('contact_phone')]}
      >
        <Input type="tel" autoComplete="off" />
      </Form.Item>
      <SupplyFields rule={rule} isNew={project === null} />
      {!project && <AccountFields rule={rule} />}
    </FormDrawer>
  );
};

type RuleOf = ReturnType<typeof zodRule>;

/** Area, contracted power, time zone and voltage. */
const SupplyFields = ({ rule, isNew }: { rule: RuleOf; isNew: boolean }) => {
  const { t } = useTranslation('projects');
  const unitOf = useUnit();
  const [zones] = useState(() => zoneOptions(Date.now()));
  return (
    <>
      <Form.Item name="area_m2" label={t(($) => $.column.area)} rules={[numberRule(area), rule('area_m2')]}>
        <NumberField {...area} unit="m²" />
      </Form.Item>
      <Form.Item
        name="contract_kw"
        label={t(($) => $.column.contractedPower)}
        extra={t(($) => $.edit.contractedPower)}
        rules={[numberRule(contractedPower), rule('contract_kw')]}
      >
        <NumberField {...contractedPower} unit="kW" />
      </Form.Item>
      <Form.Item
        name="time_zone"
        label={t(($) => $.column.zone)}
        extra={isNew ? undefined : t(($) => $.edit.zone)}
        rules={[rule('time_zone')]}
      >
        <Select showSearch={{ optionFilterProp: 'label' }} options={zones} />
      </Form.Item>
      <Form.Item
        name="nominal_voltage"
        label={t(($) => $.column.voltage)}
        extra={t(($) => $.edit.voltage)}
        rules={[rule('nominal_voltage')]}
      >
        <Select
          options={nominalVoltages.map((value) => ({ value, label: `${value}\u00a0${unitOf('V')}` }))}
        />
      </Form.Item>
    </>
  );
};

/** The account of a new project's administrator. */
const AccountFields = ({ rule }: { rule: RuleOf }) => {
  const { t } = useTranslation('projects');
  return (
    <>
      <h3>{t(($) => $.add.account)}</h3>
      <p className="soft">{t(($) => $.add.accountWhy)}</p>
      <Form.Item
        name="username"
        label={t(($) => $.add.username)}
        extra={t(($) => $.add.usernameWhy)}
        rules={[rule('username')]}
      >
        <Input autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="password"
        label={t(($) => $.add.password)}
        required
        rules={[
          rule('password'),
          passwordRule('add', ({ username, contact_phone }) => username || contact_phone),
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </>
  );
};

const valuesOf = (project: ProjectDetail): Values => ({
  name: project.name,
  kind: project.kind as Values['kind'],
  region_id: project.region_id,
  address: project.address,
  detailed_address: project.detailed_address,
  lat: project.lat,
  lng: project.lng,
  contact_name: project.contact_name,
  contact_phone: project.contact_phone,
  area_m2: project.area_m2,
  contract_kw: project.contract_kw,
  time_zone: project.time_zone,
  nominal_voltage: project.nominal_voltage,
});
