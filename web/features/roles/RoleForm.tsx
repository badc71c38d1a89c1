import { App, Form, Input, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Letter } from '#contract/permissions.ts';
import { type RoleRow, roleEndpoints } from '#contract/roles.ts';
import { useReload } from '#web/api/query.ts';
import { useSignedIn } from '#web/api/session.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { LetterPicker } from './LetterPicker.tsx';

interface Values {
  name: string;
  description: string;
  parent_id?: number;
  letters: Letter[];
  enabled: boolean;
}
/** A new role, optionally below a given one, or an existing one. */
export type OpenRole = { kind: 'new'; below: number } | { kind: 'edit'; role: RoleRow };
const rule = zodRule(roleEndpoints.add.body);

export const RoleForm = ({
  open,
  roles,
  onClose,
}: {
  open: OpenRole | null;
  roles: readonly RoleRow[];
  onClose: () => void;
}) => {
  const { t } = useTranslation('roles');
  const { message } = App.useApp();
  const reload = useReload(roleEndpoints.list);
  const proof = useProvenCall('own_password');
  const session = useSignedIn();
  const [form] = Form.useForm<Values>();
  const edited = open?.kind === 'edit' ? open.role : null;
  const fixed = edited?.built_in ?? false;
  const initial: Partial<Values> = edited
    ? {
        name: edited.name,
        description: edited.description,
        letters: edited.letters,
        ...(edited.parent_id === null ? {} : { parent_id: edited.parent_id }),
      }
    : { letters: [], enabled: true, ...(open?.kind === 'new' ? { parent_id: open.below } : {}) };
  // A role cannot be below itself: the server refuses that too.
  const belowEdited = (role: RoleRow): boolean =>
    edited !== null &&
    (role.role_id === edited.role_id ||
      roles.some((each) => each.role_id === role.parent_id && belowEdited(each)));
  const parents = roles.filter(
    (role) => (role.own || role.editable || role.role === 1) && !belowEdited(role),
  );

  const save = async (values: Values) => {
    const touched = (name: keyof Values) => form.isFieldTouched(name);
    const saved = edited
      ? await proof(roleEndpoints.edit, {
          role_id: edited.role_id,
          revision: edited.revision,
          ...(touched('name') ? { name: values.name } : {}),
          ...(touched('description') ? { description: values.description } : {}),
          ...(touched('parent_id') && values.parent_id !== undefined ? { parent_id: values.parent_id } : {}),
          ...(touched('letters') ? { letters: values.letters } : {}),
        })
      : await proof(roleEndpoints.add, { ...values, parent_id: values.parent_id ?? '' });
    if (!saved) return false;
    void message.success(t(($) => $.saved));
    await reload();
  };
  return (
    <FormDrawer
      open={open !== null}
      title={t(($) => (edited ? $.edit : $.add))}
      form={form}
      initial={initial}
      first="name"
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
        <Input maxLength={40} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="description"
        label={t(($) => $.column.description)}
        required
        rules={[rule('description')]}
      >
        <Input.TextArea maxLength={200} autoSize={{ minRows: 2, maxRows: 4 }} />
      </Form.Item>
      {!fixed && (
        <Form.Item name="parent_id" label={t(($) => $.column.parent)} required rules={[rule('parent_id')]}>
          <Select
            showSearch={{ optionFilterProp: 'label' }}
            options={parents.map((role) => ({ value: role.role_id, label: role.name }))}
          />
        </Form.Item>
      )}
      {!edited && (
        <Form.Item name="enabled" label={t(($) => $.column.status)} valuePropName="checked">
          <Switch
            checkedChildren={t(($) => $.status.enabled)}
            unCheckedChildren={t(($) => $.status.disabled)}
          />
        </Form.Item>
      )}
      <Form.Item
        name="letters"
        label={t(($) => $.column.letters)}
        required={!fixed}
        extra={fixed ? t(($) => $.builtInText) : undefined}
        rules={fixed ? [] : [rule('letters')]}
      >
        <LetterPicker grantable={session.letters} disabled={fixed} />
      </Form.Item>
    </FormDrawer>
  );
};
