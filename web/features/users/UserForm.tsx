import { useQuery } from '@tanstack/react-query';
import { App, Form, type FormInstance, Input, Radio, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { sentence } from '#contract/faults/codes.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { type UserRow, userEndpoints } from '#contract/users.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useSignedIn } from '#web/api/session.ts';
import { type Formats, useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { ProjectPicker } from '#web/parts/ProjectPicker.tsx';
import { passwordRule } from '#web/parts/password-rule.ts';
import { RegionField } from '#web/parts/RegionField.tsx';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';

interface Values {
  username: string;
  nickname: string;
  email: string;
  mobile: string;
  password: string;
  repeat: string;
  role_id?: number;
  by: 'region' | 'project';
  region_id?: number | null;
  project_id?: number | null;
  part_ids: number[];
  enabled: boolean;
  auto_sign_in: boolean;
}
const onlyKnown = ({ repeat: _repeat, by: _by, ...values }: Partial<Values>) => values;
const rule = zodRule(userEndpoints.add.body, (values: Partial<Values>) => onlyKnown(values));

const valuesOf = (row: UserRow | null): Partial<Values> =>
  row === null
    ? { by: 'project', part_ids: [], enabled: true, auto_sign_in: false }
    : {
        username: row.username,
        nickname: row.nickname,
        email: row.email,
        mobile: row.mobile,
        role_id: row.role_id,
        by: row.region_id === null ? 'project' : 'region',
        region_id: row.region_id,
        project_id: row.projects[0]?.project_id ?? null,
        part_ids: row.projects[0]?.parts.map(({ part_id }) => part_id) ?? [],
        auto_sign_in: row.auto_sign_in,
      };
const projectNames = ({ projects, project_count }: UserRow, { list }: Formats): string =>
  list(projects.map(({ name }) => name)) + (project_count > projects.length ? ' …' : '');
const placeNames = ['role_id', 'by', 'region_id', 'project_id', 'part_ids'] as const;

/** Adds or edits a user. For an edited user only changed fields are sent; otherwise role and place stay. */
export const UserForm = ({ row, onClose }: { row: UserRow | 'new' | null; onClose: () => void }) => {
  const { t } = useTranslation('users');
  const { message } = App.useApp();
  const reload = useReload(userEndpoints.list);
  const proof = useProvenCall('own_password');
  const [form] = Form.useForm<Values>();
  const open = row !== null;
  const edited = row === 'new' ? null : row;
  const initial = valuesOf(edited);
  const place = useRolePlace(form, initial, open);
  const save = async (values: Values) => {
    const { username, nickname, email, mobile, auto_sign_in } = values;
    const touched = (name: keyof Values) => form.isFieldTouched(name);
    const saved = edited
      ? await proof(userEndpoints.edit, {
          user_id: edited.user_id,
          revision: edited.revision,
          ...(touched('username') ? { username } : {}),
          ...(touched('nickname') ? { nickname } : {}),
          ...(touched('email') ? { email } : {}),
          ...(touched('mobile') ? { mobile } : {}),
          ...(touched('auto_sign_in') ? { auto_sign_in } : {}),
          ...(placeNames.some(touched) ? place.of(values) : {}),
        })
      : await proof(userEndpoints.add, {
          ...place.of(values),
          ...{ username, nickname, email, mobile, auto_sign_in },
          password: values.password,
          enabled: values.enabled,
        });
    if (!saved) return false;
    void message.success(t(($) => $.saved));
    await reload();
  };
  return (
    <FormDrawer
      open={open}
      title={t(($) => (edited ? $.edit : $.add))}
      form={form}
      initial={initial}
      first="username"
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="username" label={t(($) => $.column.username)} required rules={[rule('username')]}>
        <Input autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="nickname" label={t(($) => $.column.nickname)} required rules={[rule('nickname')]}>
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item name="mobile" label={t(($) => $.column.mobile)} required rules={[rule('mobile')]}>
        <Input inputMode="tel" autoComplete="off" />
      </Form.Item>
      <Form.Item name="email" label={t(($) => $.column.email)} required rules={[rule('email')]}>
        <Input inputMode="email" autoComplete="off" />
      </Form.Item>
      {!edited && <FirstPassword />}
      {!edited?.own && <RolePlaceFields edited={edited} place={place} />}
      <Form.Item
        name="auto_sign_in"
        label={t(($) => $.column.automatic)}
        extra={t(($) => $.automaticText)}
        valuePropName="checked"
      >
        <Switch checkedChildren={t(($) => $.yes)} unCheckedChildren={t(($) => $.no)} />
      </Form.Item>
    </FormDrawer>
  );
};

/** What the chosen role asks: a region, a project, or parts of one. */
const useRolePlace = (form: FormInstance<Values>, initial: Partial<Values>, open: boolean) => {
  const roles = useQuery({ ...endpointQuery(userEndpoints.roles, {}), enabled: open });
  const roleId = Form.useWatch('role_id', form) ?? initial.role_id;
  const by = Form.useWatch('by', form) ?? initial.by;
  const projectId = Form.useWatch('project_id', form) ?? initial.project_id ?? null;
  const kind = roles.data?.find((role) => role.role_id === roleId)?.place;
  const asksRegion = kind === 'region' || (kind === 'regionOrProject' && by === 'region');
  const asksProject =
    kind === 'project' || kind === 'parts' || (kind === 'regionOrProject' && by === 'project');
  const asksParts = asksProject && kind !== 'project';
  const project = useQuery({
    ...endpointQuery(projectEndpoints.options, { project_id: projectId ?? 0 }),
    enabled: open && asksParts && projectId !== null,
  });

  const of = (values: Values) => ({
    role_id: values.role_id ?? '',
    region_id: asksRegion ? (values.region_id ?? null) : null,
    project_id: asksProject ? (values.project_id ?? null) : null,
    part_ids: asksParts ? (values.part_ids ?? []) : [],
  });
  return { roles, kind, asksRegion, asksProject, asksParts, projectId, project, of };
};

const FirstPassword = () => {
  const { t } = useTranslation('users');
  const { password_policy } = useSignedIn();
  return (
    <>
      <Form.Item
        name="password"
        label={t(($) => $.column.password)}
        required
        extra={t(($) => (password_policy === 'classic' ? $.passwordText : $.passwordStrong))}
        rules={[rule('password'), passwordRule('add', ({ username }) => username)]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item name="enabled" label={t(($) => $.column.status)} valuePropName="checked">
        <Switch
          checkedChildren={t(($) => $.status.enabled)}
          unCheckedChildren={t(($) => $.status.disabled)}
        />
      </Form.Item>
    </>
  );
};

const RolePlaceFields = ({
  edited,
  place,
}: {
  edited: UserRow | null;
  place: ReturnType<typeof useRolePlace>;
}) => {
  const { t } = useTranslation('users');
  const formats = useFormats();
  const { roles, kind, asksRegion, asksProject, asksParts, projectId, project } = place;
  const parts = project.data?.list[0]?.parts ?? [];
  return (
    <>
      <Form.Item
        name="role_id"
        label={t(($) => $.column.role)}
        required
        extra={kind ? t(($) => $.place[kind]) : edited ? t(($) => $.place.keep) : undefined}
        rules={[rule('role_id')]}
      >
        <Select
          showSearch={{ optionFilterProp: 'label' }}
          loading={roles.isPending}
          options={(roles.data ?? []).map((role) => ({
            value: role.role_id,
            label: role.enabled ? role.name : `${role.name} · ${t(($) => $.roleDisabled)}`,
          }))}
        />
      </Form.Item>
      {kind === 'regionOrProject' && (
        <Form.Item name="by" label={t(($) => $.place.kind)}>
          <Radio.Group
            optionType="button"
            buttonStyle="solid"
            options={[
              { value: 'project', label: t(($) => $.place.byProject) },
              { value: 'region', label: t(($) => $.place.byRegion) },
            ]}
          />
        </Form.Item>
      )}
      {asksRegion && (
        <Form.Item
          name="region_id"
          label={t(($) => $.column.area)}
          required
          rules={[{ required: !edited, message: sentence('user.region', currentLanguage()) }]}
        >
          <RegionField anyLevel known={edited?.area} />
        </Form.Item>
      )}
      {asksProject && (
        <Form.Item
          name="project_id"
          label={t(($) => $.column.project)}
          required
          rules={[{ required: !edited, message: sentence('user.project', currentLanguage()) }]}
          extra={
            edited && edited.project_count > 1
              ? t(($) => $.place.several, {
                  count: edited.project_count,
                  names: projectNames(edited, formats),
                })
              : undefined
          }
        >
          <ProjectPicker
            known={(edited?.projects ?? []).map(({ project_id, name }) => ({ id: project_id, name }))}
          />
        </Form.Item>
      )}
      {asksParts && projectId !== null && (parts.length > 0 || kind === 'parts') && (
        <Form.Item
          name="part_ids"
          label={t(($) => $.parts)}
          required={kind === 'parts'}
          rules={[
            { required: !edited && kind === 'parts', message: sentence('user.parts', currentLanguage()) },
          ]}
        >
          <Select
            mode="multiple"
            loading={project.isFetching}
            options={parts.map(({ part_id, name }) => ({ value: part_id, label: name }))}
          />
        </Form.Item>
      )}
    </>
  );
};
