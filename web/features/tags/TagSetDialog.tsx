import { App, Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tagEndpoints } from '#contract/tags.ts';
import { call } from '../../api/call.ts';
import { DateField } from '../../parts/DateField.tsx';
import { ImageUpload } from '../../parts/ImageUpload.tsx';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useFormFaults, zodRule } from '../../parts/zod-rule.ts';
import './tags.css';
import { type TagTarget, useTagsChanged } from './tags.query.ts';

interface Values {
  reason: string;
  review?: string;
  photo_id?: string | null;
}
const reasonRule = zodRule(tagEndpoints.set.body, (values) => ({ line_id: 1, ...values }))('reason');

/** Hangs a lock-out tag on a line, a device or a project: nothing closes it while the tag stands. */
export const TagSetDialog = ({
  target,
  name,
  onClose,
}: {
  target: TagTarget;
  name: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation('tags');
  useFocusBack();
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const mark = useFormFaults(form);
  const changed = useTagsChanged();
  const [busy, setBusy] = useState(false);

  const save = async ({ reason, review, photo_id }: Values) => {
    setBusy(true);
    try {
      const { closing, holding } = await call(tagEndpoints.set, {
        ...target,
        reason,
        ...(review ? { review_at: new Date(review).toISOString() } : {}),
        ...(photo_id ? { photo_id } : {}),
      });
      if (closing > 0)
        void message.warning(
          t(($) => $.set.closing, { count: closing }),
          10,
        );
      else if (holding > 0)
        void message.warning(
          t(($) => $.set.holding, { count: holding }),
          10,
        );
      else void message.success(t(($) => $.set.done));
      onClose();
      await changed();
    } catch (error) {
      mark(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      title={t(($) => $.set.title, { name })}
      okText={t(($) => $.set.act)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
      afterOpenChange={(isOpen) => {
        if (isOpen) form.getFieldInstance('reason')?.focus();
      }}
    >
      <p>{t(($) => $.set.text)}</p>
      <p className="tag-complement">
        <strong>{t(($) => $.complement)}</strong>
      </p>
      <Form form={form} layout="vertical" onFinish={(values) => void save(values)}>
        <Form.Item name="reason" label={t(($) => $.field.reason)} required rules={[reasonRule]}>
          <Input.TextArea maxLength={300} showCount autoSize={{ minRows: 2, maxRows: 6 }} />
        </Form.Item>
        <Form.Item name="review" label={t(($) => $.field.review)} extra={t(($) => $.reviewWhy)}>
          <DateField kind="moment" />
        </Form.Item>
        <Form.Item name="photo_id" label={t(($) => $.field.photo)}>
          <ImageUpload label={t(($) => $.field.photo)} />
        </Form.Item>
      </Form>
    </Modal>
  );
};
