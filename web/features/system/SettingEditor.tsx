import { useQuery } from '@tanstack/react-query';
import { App, Form, Input, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { type SettingRow, settingsEndpoints } from '#contract/settings.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberRule } from '#web/parts/number-flaw.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { unitNames, useSettingWords } from './use-setting-words.ts';

interface Values {
  value: boolean | number | string;
}

const History = ({ row }: { row: SettingRow }) => {
  const { t } = useTranslation('system');
  const words = useSettingWords();
  const { colon } = useFormats();
  const query = useQuery(endpointQuery(settingsEndpoints.history, { name: row.name }));
  return (
    <section>
      <h3>{t(($) => $.settings.history)}</h3>
      <DataState
        query={query}
        rows={2}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.settings.never)}
      >
        {({ list }) => (
          <ul className="system-history">
            {list.map(({ at, operator, before, after }) => (
              <li key={at}>
                <TimeText at={at} /> {operator}
                {colon}
                {words.value(row, before)} → {words.value(row, after)}
              </li>
            ))}
          </ul>
        )}
      </DataState>
    </section>
  );
};

const Field = ({ row }: { row: SettingRow }) => {
  const words = useSettingWords();
  const label = words.name(row.name);
  if (row.kind === 'flag')
    return (
      <Form.Item name="value" label={label} valuePropName="checked">
        <Switch />
      </Form.Item>
    );
  if (row.kind === 'choice')
    return (
      <Form.Item name="value" label={label}>
        <Select options={(row.choices ?? []).map((value) => ({ value, label: words.choice(value) }))} />
      </Form.Item>
    );
  if (row.kind === 'text')
    return (
      <Form.Item name="value" label={label}>
        <Input maxLength={row.max ?? 0} />
      </Form.Item>
    );
  const bounds = { min: row.min ?? 0, max: row.max ?? 0, digits: 0 };
  return (
    <Form.Item name="value" label={label} rules={[{ required: true }, numberRule(bounds)]}>
      <NumberField {...bounds} unit={row.unit ? unitNames[row.unit] : ''} />
    </Form.Item>
  );
};

/**
 * One setting: its meaning, value, default, range and history. A shorter retention needs a confirmation,
 * because it deletes data.
 */
export const SettingEditor = ({ row, onClose }: { row: SettingRow; onClose: () => void }) => {
  const { t } = useTranslation('system');
  const { message } = App.useApp();
  const { colon } = useFormats();
  const words = useSettingWords();
  const reload = useReload(settingsEndpoints.list, settingsEndpoints.history);
  const confirm = useConfirm();
  const [form] = Form.useForm<Values>();

  const save = async ({ value }: Values) => {
    const shortens = row.name.startsWith('retention.') && Number(value) < Number(row.value);
    const sure =
      !shortens ||
      (await confirm({
        title: t(($) => $.settings.shorten, { name: words.name(row.name) }),
        content: t(($) => $.settings.shortenText, { value: words.value(row, value) }),
        okText: t(($) => $.settings.shortenAct),
        danger: true,
      }));
    if (!sure) return false;
    await call(
      settingsEndpoints.set,
      { name: row.name, value: value === row.default ? null : value },
      { shownHere: [422] },
    );
    void message.success(t(($) => $.settings.saved, { name: words.name(row.name) }));
    await reload();
    return true;
  };
  return (
    <FormDrawer<Values>
      open
      title={words.name(row.name)}
      form={form}
      initial={{ value: row.value }}
      first="value"
      onSave={save}
      onClose={onClose}
    >
      <p>{words.meaning(row.name)}</p>
      <Field row={row} />
      <p className="soft">
        {t(($) => $.settings.standard)}
        {colon}
        {words.value(row, row.default)}
        {row.kind === 'whole' && ` · ${t(($) => $.settings.range, { min: row.min, max: row.max })}`}
      </p>
      <History row={row} />
    </FormDrawer>
  );
};
