import { Button, Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { countOf, type Selection } from '../../parts/table/types.ts';
import { useFormFaults, zodRule } from '../../parts/zod-rule.ts';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';

const rule = zodRule(alarmEndpoints.handle.body, (values) => ({ id: 1, ...values }));
const phrases = ['checked', 'repaired', 'test', 'false'] as const;

/** Asks what was done about one alarm or many. */
export const AlarmHandleDialog = ({
  selection,
  rows,
  onClose,
  onHandle,
}: {
  selection: Selection;
  rows: readonly AlarmRow[];
  onClose: () => void;
  onHandle: (selection: Selection, content: string) => Promise<void>;
}) => {
  const { t } = useTranslation('alarms');
  const [form] = Form.useForm<{ content: string }>();
  const [busy, setBusy] = useState(false);
  const mark = useFormFaults(form);
  const count = countOf(selection);
  const only =
    selection.kind === 'rows' && count === 1 ? rows.find(({ id }) => id === selection.ids[0]) : undefined;

  const save = async ({ content }: { content: string }) => {
    setBusy(true);
    try {
      await onHandle(selection, content);
      onClose();
    } catch (error) {
      mark(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open={selection.kind !== 'none'}
      title={t(($) => $.handle.title, { count })}
      okText={t(($) => $.handle.act)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
    >
      {only && (
        <p>
          <strong>
            <AlarmTypeName code={only.typeNumber} />
          </strong>{' '}
          · {[only.project_name, only.device_number, only.line_name].filter(Boolean).join(' · ')}
        </p>
      )}
      <Form form={form} layout="vertical" preserve={false} onFinish={(values) => void save(values)}>
        <div className="handle-phrases">
          {phrases.map((phrase) => (
            <Button
              key={phrase}
              size="small"
              onClick={() => form.setFieldsValue({ content: t(($) => $.handle.phrase[phrase]) })}
            >
              {t(($) => $.handle.phrase[phrase])}
            </Button>
          ))}
        </div>
        <Form.Item
          name="content"
          className="handle-content"
          label={t(($) => $.handle.content)}
          rules={[rule('content')]}
        >
          <Input.TextArea rows={4} maxLength={500} showCount autoFocus />
        </Form.Item>
      </Form>
    </Modal>
  );
};
