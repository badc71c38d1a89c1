import { Alert, App, Button, Form, Input, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sentence } from '#contract/faults/codes.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { type Line, useLinesChanged } from './lines.query.ts';

interface Values {
  name: string;
  alias: string;
  model: string;
  critical: boolean;
}
const rule = zodRule(lineEndpoints.change.body, (values) => ({ line_id: 1, ...values }));
const undoSeconds = 8;

/**
 * Renames a line, and sets its alias, model and whether its load is critical; a change can be undone. A
 * second editor sees the first one's values, and keeps their own typed ones.
 */
export const LineEdit = ({ line, onClose }: { line: Line; onClose: () => void }) => {
  const { t } = useTranslation('lines');
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const changed = useLinesChanged();
  const prove = useProvenCall();
  const [newer, setNewer] = useState<Line | null>(null);
  const { line_id, n, name, alias, model, critical, revision } = newer ?? line;

  const undo = async (after: { name: string; revision: number }) => {
    message.destroy(line_id);
    await attempt(async () => {
      await prove(lineEndpoints.change, {
        line_id,
        revision: after.revision,
        ...(after.name === name ? {} : { old_name: after.name, name }),
        alias,
        model,
        critical,
      });
    }).finally(() => {
      changed();
    });
  };
  const save = async (values: Values) => {
    const renamed = values.name.trim() !== name;
    const others = ['alias', 'model', 'critical'] as const;
    if (!renamed && others.every((field) => values[field] === (newer ?? line)[field]))
      throw new Fault(422, '', { fields: { name: sentence('line.nameSame', currentLanguage()) } });
    const written = await prove(lineEndpoints.change, {
      line_id,
      revision,
      ...(renamed ? { old_name: name, name: values.name } : {}),
      alias: values.alias,
      model: values.model,
      critical: values.critical,
    }).catch(async (error: unknown) => {
      if (error instanceof Fault && error.status === 409) {
        const now = await call(lineEndpoints.detail, { line_id });
        if (now.revision !== revision) setNewer(now);
      }
      throw error;
    });
    if (!written) return false;
    changed();
    void message.success({
      key: line_id,
      duration: undoSeconds,
      content: (
        <>
          {t(($) => $.edit.done, { n })}{' '}
          <Button size="small" type="link" onClick={() => void undo(written)}>
            {t(($) => $.edit.undo)}
          </Button>
        </>
      ),
    });
    return true;
  };
  return (
    <FormDrawer
      open
      title={t(($) => $.edit.title, { n })}
      form={form}
      first="name"
      initial={{ name: line.name, alias: line.alias, model: line.model, critical: line.critical }}
      onSave={save}
      onClose={onClose}
    >
      {newer && (
        <Alert
          type="warning"
          showIcon
          className="line-newer"
          title={t(($) => $.edit.changed)}
          description={
            <>
              <p>
                {[newer.name, newer.alias, newer.model, newer.critical && t(($) => $.critical)]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
              <Button size="small" onClick={() => form.setFieldsValue({ name, alias, model, critical })}>
                {t(($) => $.edit.takeTheirs)}
              </Button>
            </>
          }
        />
      )}
      <Form.Item name="name" label={t(($) => $.edit.name)} required rules={[rule('name')]}>
        <Input maxLength={60} />
      </Form.Item>
      <Form.Item name="alias" label={t(($) => $.edit.alias)} rules={[rule('alias')]}>
        <Input maxLength={60} />
      </Form.Item>
      <Form.Item
        name="model"
        label={t(($) => $.edit.model)}
        extra={t(($) => $.edit.modelWhy)}
        rules={[rule('model')]}
      >
        <Input maxLength={60} />
      </Form.Item>
      <Form.Item
        name="critical"
        label={t(($) => $.edit.critical)}
        extra={t(($) => $.edit.criticalWhy)}
        valuePropName="checked"
      >
        <Switch />
      </Form.Item>
    </FormDrawer>
  );
};
