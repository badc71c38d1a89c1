import { App, Button, Form, Input, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { builtInRoles } from '#contract/permissions.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { useCan, useSignedIn } from '#web/api/session.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { TagFacts } from './TagFacts.tsx';
import { type Tag, useTagsChanged } from './tags.query.ts';
import './tags.css';

interface Values {
  reason?: string;
  password?: string;
}

/** A tag with all its data; its owner reviews and removes it, an administrator with password and reason. */
export const TagDialog = ({ tag, onClose }: { tag: Tag; onClose: () => void }) => {
  const { t } = useTranslation('tags');
  useFocusBack();
  const { message } = App.useApp();
  const { user_id, role } = useSignedIn();
  const mayWrite = useCan('tag.write');
  const [form] = Form.useForm<Values>();
  const changed = useTagsChanged();
  const isMine = tag.owner_id === user_id;
  const stands = tag.removed_at === null;
  const mayRemove = stands && mayWrite && (isMine || role === builtInRoles.admin);

  const { busy, submit: remove } = useSubmit(form, async ({ reason, password }) => {
    await call(tagEndpoints.remove, {
      tag_id: tag.tag_id,
      ...filled({ reason }),
      ...(isMine ? {} : { password: password ?? '' }),
    });
    void message.success(t(($) => $.remove.done));
    onClose();
    await changed();
  });
  return (
    <Modal
      open
      title={t(($) => $.one)}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t(($) => $.shut)}</Button>
          {mayRemove && (
            <Button danger loading={busy} onClick={() => form.submit()}>
              {t(($) => $.remove.act)}
            </Button>
          )}
        </>
      }
    >
      <TagFacts tag={tag} reviewable={stands && isMine} />
      {mayRemove ? (
        <Form form={form} layout="vertical" onFinish={(values) => void remove(values)}>
          <p>{t(($) => (isMine ? $.remove.own : $.remove.others))}</p>
          <Form.Item
            name="reason"
            label={t(($) => $.remove.reason)}
            rules={isMine ? [] : [{ required: true, message: t(($) => $.remove.reasonMissing) }]}
          >
            <Input maxLength={300} />
          </Form.Item>
          {!isMine && (
            <Form.Item
              name="password"
              label={t(($) => $.remove.password)}
              rules={[{ required: true, message: t(($) => $.remove.passwordMissing) }]}
            >
              <Input.Password autoComplete="current-password" />
            </Form.Item>
          )}
        </Form>
      ) : (
        stands && <p className="soft">{t(($) => $.remove.notYours, { owner: tag.owner })}</p>
      )}
      <p className="soft">{t(($) => $.complement)}</p>
    </Modal>
  );
};
