import { useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Form, Input } from 'antd';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import type { CallOptions } from '#web/api/call.ts';
import { Fault, isNetworkFault } from '#web/api/fault.ts';
import { useIsCut, useLink } from '#web/api/link-state.ts';
import { useSignedIn } from '#web/api/session.ts';
import { useSessionEnd } from '#web/api/session-end.ts';
import { countOf, type Selection } from '#web/parts/table/types.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { AlarmDialog } from './AlarmDialog.tsx';
import { alarmQuery } from './alarms.query.ts';
import { canKeep, keepText } from './outbox/kept-texts.ts';
import { Outbox } from './outbox/Outbox.tsx';
import { useOutboxPart } from './outbox/outbox-part.ts';

const rule = zodRule(alarmEndpoints.handle.body, (values) => ({ id: 1, ...values }));
const phrases = ['checked', 'repaired', 'test', 'false'] as const;

/** A text that could not be sent is kept: no fault is announced. */
const shownHere: CallOptions = { shownHere: [0] };

/**
 * Keeps the text for one alarm on this device until there is a connection, and returns whether that worked;
 * null if the act cannot wait.
 */
const useKeep = (alarm: AlarmRow | undefined): ((content: string) => Promise<boolean>) | null => {
  const { t } = useTranslation('alarms');
  const { message } = App.useApp();
  const { user_id } = useSignedIn();
  const aheadMs = useLink((link) => link.aheadMs);
  if (!alarm || !canKeep()) return null;
  const { id, revision, typeNumber, device_number, line_name } = alarm;
  return async (content) => {
    const isKept = await keepText({
      user: user_id,
      id,
      revision,
      typeNumber,
      where: [device_number, line_name].filter(Boolean).join(' · '),
      content,
      written_at: new Date(Date.now() + aheadMs).toISOString(),
      refused: null,
    }).then(
      () => true,
      () => false,
    );
    if (isKept) {
      useOutboxPart.setState({ Part: Outbox });
      void message.info(t(($) => $.outbox.kept));
    }
    return isKept;
  };
};

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
  onHandle: (selection: Selection, content: string, options?: CallOptions) => Promise<void>;
}) => {
  const { t } = useTranslation('alarms');
  const [form] = Form.useForm<{ content: string }>();
  const count = countOf(selection);
  const client = useQueryClient();
  const id = selection.kind === 'rows' && count === 1 ? selection.ids[0] : undefined;
  const only =
    id === undefined
      ? undefined
      : (rows.find((row) => row.id === id) ?? client.getQueryData(alarmQuery(id).queryKey));
  const keep = useKeep(only);
  // Without a session the user signs in again first; kept texts are only for a lost connection.
  const over = useSessionEnd((end) => end.over);
  const cut = useIsCut() && !over;

  const box = useRef<HTMLTextAreaElement | null>(null);
  const take = (phrase: (typeof phrases)[number]) => {
    form.setFieldsValue({ content: t(($) => $.handle.phrase[phrase]) });
    box.current?.focus();
  };
  /** A digit inserts a text; anything else is typed. */
  const press = (event: KeyboardEvent) => {
    if (event.target === box.current || event.key.length > 1 || event.ctrlKey || event.metaKey) return;
    const phrase = phrases[Number(event.key) - 1];
    if (phrase === undefined) {
      if (event.key !== ' ') box.current?.focus();
      return;
    }
    event.preventDefault();
    take(phrase);
  };
  return (
    <AlarmDialog
      title={t(($) => $.handle.title, { count })}
      act={t(($) => (cut && keep ? $.outbox.keep : $.handle.act))}
      only={only}
      form={form}
      send={async ({ content }) => {
        if (cut && (await keep?.(content))) return;
        try {
          await onHandle(selection, content, keep ? shownHere : undefined);
        } catch (error) {
          if (!(error instanceof Fault) || !isNetworkFault(error) || !(await keep?.(content))) throw error;
        }
      }}
      onClose={onClose}
    >
      {cut && keep && (
        <Alert type="warning" showIcon className="handle-later" title={t(($) => $.outbox.later)} />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the buttons in it */}
      <div className="handle-phrases" onKeyDown={press}>
        {phrases.map((phrase, index) => (
          <Button key={phrase} size="small" autoFocus={index === 0} onClick={() => take(phrase)}>
            <kbd>{index + 1}</kbd> {t(($) => $.handle.phrase[phrase])}
          </Button>
        ))}
      </div>
      <Form.Item
        name="content"
        className="handle-content"
        label={t(($) => $.handle.content)}
        rules={[rule('content')]}
      >
        <Input.TextArea
          ref={(area) => {
            box.current = area?.resizableTextArea?.textArea ?? null;
          }}
          rows={4}
          maxLength={500}
          showCount
          onPressEnter={(event) => {
            if (event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            form.submit();
          }}
        />
      </Form.Item>
    </AlarmDialog>
  );
};
