import { App, Button, Form, type FormInstance, Input, Modal } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { call } from '#web/api/call.ts';
import { useLive } from '#web/api/live.ts';
import { useCan } from '#web/api/session.ts';
import { useKnown } from '#web/api/use-known.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { DateField } from '#web/parts/DateField.tsx';
import { ImageUpload } from '#web/parts/ImageUpload.tsx';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import './tags.css';
import { TagCounts, TagLineState } from './TagStates.tsx';
import { isUnproven, type StatedLine, type TagTarget, useCovered, useTagsChanged } from './tags.query.ts';

interface Values {
  reason: string;
  confirm_name?: string;
  review?: string;
  photo_id?: string | null;
}
/** Usual reasons, for one hand at the panel. */
const phrases = ['work', 'repair', 'test'] as const;
const reasonRule = zodRule(tagEndpoints.set.body, (values) => ({ line_id: 1, ...values }))('reason');

/**
 * Sets the tag, or first opens the line and sets it once the device reports that the line is open (`isOpen`).
 */
const useSetting = (
  {
    form,
    target,
    line,
    asksName,
    isOpen,
  }: {
    form: FormInstance<Values>;
    target: TagTarget;
    line: StatedLine | null;
    asksName: boolean;
    isOpen: boolean;
  },
  onClose: () => void,
) => {
  const { t } = useTranslation('tags');
  const { message } = App.useApp();
  const changed = useTagsChanged();
  /** Values of a tag that waits for the device's report that the line is open. */
  const [waiting, setWaiting] = useState<Values | null>(null);
  const { busy: setting, submit: save } = useSubmit(form, async ({ reason, review, photo_id }: Values) => {
    const { closing, holding } = await call(tagEndpoints.set, {
      ...target,
      reason,
      ...(review ? { review_at: new Date(review).toISOString() } : {}),
      ...(photo_id ? { photo_id } : {}),
    }).finally(() => setWaiting(null));
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
  });
  const { busy: opening, submit: open } = useSubmit(form, async ({ confirm_name, ...values }: Values) => {
    if (line === null) return;
    await call(controlEndpoints.do, {
      device_id: line.device_id,
      line_id: line.line_id,
      action: 'open',
      ...(asksName ? { confirm_name: confirm_name ?? '' } : {}),
    });
    setWaiting(values);
  });
  useLive('command', ({ line_id, action, state }) => {
    if (waiting === null || line_id !== line?.line_id || action !== 'open') return;
    if (!['failed', 'mismatch', 'expired', 'unknown'].includes(state)) return;
    setWaiting(null);
    void message.error(
      t(($) => $.live.notOpen),
      10,
    );
  });
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    if (isOpen && waiting) void latest.current(waiting);
  }, [isOpen, waiting]);
  return { save, open, busy: setting || opening, waiting };
};

const UsualReasons = ({ form }: { form: FormInstance<Values> }) => {
  const { t } = useTranslation('tags');
  return (
    <div className="tag-phrases">
      {phrases.map((phrase) => (
        <Button
          key={phrase}
          size="small"
          onClick={() => {
            form.setFieldValue(
              'reason',
              t(($) => $.set.phrase[phrase]),
            );
            void form.validateFields(['reason']);
          }}
        >
          {t(($) => $.set.phrase[phrase])}
        </Button>
      ))}
    </div>
  );
};

/** Sets a lock-out tag on a line, a device or a project: nothing closes it while the tag is active. */
export const TagSetDialog = ({
  target,
  name,
  line = null,
  onOpenLines,
  onClose,
}: {
  target: TagTarget;
  name: string;
  /** The present line, if the tag is for one. */
  line?: StatedLine | null;
  /** Opens the screen with the switches of the device's lines. */
  onOpenLines?: () => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('tags');
  useFocusBack();
  const { t: tc } = useTranslation('common');
  const [form] = Form.useForm<Values>();
  const refusal = useCutRefusal();
  const mayOpen = useCan('line.switch');
  const lineName = line === null ? '' : line.name || String(line.n);
  const unproven = line !== null && isUnproven(line);
  const opensFirst = unproven && line.switchable && mayOpen;
  const asksName = opensFirst && line.critical;
  const query = useCovered(target);
  const covered = useKnown(query);
  // Lines of which it is not known whether they are open count as live.
  const unsafe = unproven || (covered ? covered.open < covered.lines : query.isError);

  const { save, open, busy, waiting } = useSetting(
    { form, target, line, asksName, isOpen: line !== null && !unproven },
    onClose,
  );
  const run = (how: (values: Values) => Promise<unknown>) =>
    void form.validateFields().then(how, () => undefined);
  return (
    <Modal
      open
      title={t(($) => $.set.title, { name })}
      footer={
        <>
          <Button onClick={onClose}>{tc(($) => $.dialog.cancel)}</Button>
          <Button
            type={unsafe ? 'default' : 'primary'}
            danger={unsafe}
            loading={busy && waiting === null && !opensFirst}
            disabled={waiting !== null}
            onClick={() => run(save)}
          >
            {t(($) => (unsafe ? $.live.anyway : $.set.act))}
          </Button>
          {opensFirst && (
            <Button
              type="primary"
              loading={busy || waiting !== null}
              disabled={refusal !== null}
              onClick={() => run(open)}
            >
              {t(($) => $.live.openFirst)}
            </Button>
          )}
          {line === null && unsafe && onOpenLines && (
            <Button type="primary" onClick={onOpenLines}>
              {t(($) => $.live.openAll)}
            </Button>
          )}
        </>
      }
      onCancel={onClose}
      afterOpenChange={(isOpen) => {
        if (isOpen) form.getFieldInstance('reason')?.focus();
      }}
    >
      {line && <TagLineState line={line} carries={!unproven && unsafe} />}
      {(query.data || query.error) && (
        <DataState query={query}>
          {(lines) => line === null && lines.lines > 0 && <TagCounts covered={lines} />}
        </DataState>
      )}
      {opensFirst && <p role="status">{t(($) => (waiting === null ? $.live.openText : $.live.opening))}</p>}
      {refusal !== null && opensFirst && <p className="is-alarm">{refusal}</p>}
      <p>{t(($) => $.set.text)}</p>
      <p className="tag-complement">
        <strong>{t(($) => $.complement)}</strong>
      </p>
      <Form form={form} layout="vertical" onFinish={() => run(opensFirst ? open : save)}>
        <UsualReasons form={form} />
        <Form.Item name="reason" label={t(($) => $.field.reason)} required rules={[reasonRule]}>
          <Input.TextArea maxLength={300} showCount autoSize={{ minRows: 2, maxRows: 6 }} />
        </Form.Item>
        {asksName && (
          <Form.Item name="confirm_name" label={t(($) => $.live.typeName, { line: lineName })}>
            <Input autoComplete="off" />
          </Form.Item>
        )}
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
