import { Button, Form, Input } from 'antd';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { countOf, type Selection } from '../../parts/table/types.ts';
import { zodRule } from '../../parts/zod-rule.ts';
import { AlarmDialog } from './AlarmDialog.tsx';

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
  const count = countOf(selection);
  const only =
    selection.kind === 'rows' && count === 1 ? rows.find(({ id }) => id === selection.ids[0]) : undefined;

  const box = useRef<HTMLTextAreaElement | null>(null);
  const take = (phrase: (typeof phrases)[number]) => {
    form.setFieldsValue({ content: t(($) => $.handle.phrase[phrase]) });
    box.current?.focus();
  };
  /** A digit takes a text, anything else is written. */
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
      act={t(($) => $.handle.act)}
      only={only}
      form={form}
      send={({ content }) => onHandle(selection, content)}
      onClose={onClose}
    >
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
