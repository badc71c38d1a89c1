import { Button, Form, Input } from 'antd';
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

  return (
    <AlarmDialog
      title={t(($) => $.handle.title, { count })}
      act={t(($) => $.handle.act)}
      only={only}
      form={form}
      send={({ content }) => onHandle(selection, content)}
      onClose={onClose}
    >
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
    </AlarmDialog>
  );
};
