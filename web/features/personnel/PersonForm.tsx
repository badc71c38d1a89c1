import { App, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { type PersonRow, personnelEndpoints } from '#contract/personnel.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { ProjectsPicker } from '#web/parts/ProjectPicker.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';

interface Values {
  name: string;
  mobile: string;
  position: string;
  note: string;
  project_ids: number[];
}
const rule = zodRule(personnelEndpoints.add.body);

/**
 * Adds or edits a person. For a person in other tenants' projects too, only the own projects can be changed.
 */
export const PersonForm = ({ row, onClose }: { row: PersonRow | 'new' | null; onClose: () => void }) => {
  const { t } = useTranslation('personnel');
  const { message } = App.useApp();
  const reload = useReload(personnelEndpoints.list);
  const [form] = Form.useForm<Values>();
  const edited = row === 'new' ? null : row;
  const shared = edited?.shared ?? false;
  const initial: Values = edited
    ? { ...edited, project_ids: edited.projects.map(({ project_id }) => project_id) }
    : { name: '', mobile: '', position: '', note: '', project_ids: [] };
  const save = async ({ project_ids, ...texts }: Values) => {
    if (edited)
      await call(personnelEndpoints.edit, {
        person_id: edited.person_id,
        revision: edited.revision,
        project_ids,
        ...(shared ? {} : texts),
      });
    else await call(personnelEndpoints.add, { project_ids, ...texts });
    void message.success(t(($) => $.saved));
    await reload();
  };
  return (
    <FormDrawer
      open={row !== null}
      title={t(($) => (edited ? $.edit : $.add))}
      form={form}
      initial={initial}
      first="name"
      onSave={save}
      onClose={onClose}
    >
      {shared && <p role="status">{t(($) => $.shared)}</p>}
      <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
        <Input autoComplete="off" disabled={shared} />
      </Form.Item>
      <Form.Item name="mobile" label={t(($) => $.column.mobile)} required rules={[rule('mobile')]}>
        <Input inputMode="tel" autoComplete="off" disabled={shared} />
      </Form.Item>
      <Form.Item name="position" label={t(($) => $.column.position)} rules={[rule('position')]}>
        <Input maxLength={40} autoComplete="off" disabled={shared} />
      </Form.Item>
      <Form.Item
        name="project_ids"
        label={t(($) => $.column.projects)}
        required
        extra={t(($) => $.text)}
        rules={[rule('project_ids')]}
      >
        <ProjectsPicker
          known={(edited?.projects ?? []).map(({ project_id, name }) => ({ id: project_id, name }))}
        />
      </Form.Item>
      <Form.Item name="note" label={t(($) => $.column.note)} rules={[rule('note')]}>
        <Input.TextArea maxLength={200} autoSize={{ minRows: 2, maxRows: 4 }} disabled={shared} />
      </Form.Item>
    </FormDrawer>
  );
};
