import { useQueryClient } from '@tanstack/react-query';
import { App, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { lineEndpoints } from '#contract/lines.ts';
import { Fault } from '#web/api/fault.ts';
import { keyOf } from '#web/api/query.ts';
import { writeNumber } from '#web/i18n/number.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberRule } from '#web/parts/number-flaw.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { WhatIfLink } from '#web/parts/WhatIfLink.tsx';
import { boundsOf } from './setting-edits.ts';
import { type PlatformLimit, type SettingLine, useSettingsChanged } from './settings.query.ts';

export interface EditedLimit {
  limit: PlatformLimit;
  line: Pick<SettingLine, 'line_id' | 'n' | 'name' | 'revision'>;
}
interface Values {
  thresholds: Record<string, number | null>;
}

/**
 * A limit by which the server judges one line. Empty: the line follows its project, the installation or the
 * catalogue. A weaker limit asks for the password.
 */
export const PlatformLimitForm = ({ limit, line, onClose }: EditedLimit & { onClose: () => void }) => {
  const { t, i18n } = useTranslation('deviceSettings');
  const { message } = App.useApp();
  const client = useQueryClient();
  const prove = useProvenCall();
  const changed = useSettingsChanged();
  const [form] = Form.useForm<Values>();
  const { key, inherited } = limit;
  const bounds = boundsOf(limit);

  const reload = () =>
    Promise.all([changed(), client.invalidateQueries({ queryKey: keyOf(lineEndpoints.list) })]);
  const save = async ({ thresholds }: Values) => {
    const { line_id, revision } = line;
    try {
      const done = await prove(lineEndpoints.change, {
        line_id,
        revision,
        thresholds: { [key]: thresholds[key] ?? null },
      });
      if (!done) return false;
    } catch (error) {
      if (error instanceof Fault && error.status === 409) await reload();
      throw error;
    }
    void message.success(t(($) => $.matrix.limitSaved));
    await reload();
    return true;
  };
  return (
    <FormDrawer<Values>
      open
      title={`${line.name === '' ? t(($) => $.line, { n: line.n }) : `${line.n} · ${line.name}`}: ${limit.name}`}
      form={form}
      initial={{ thresholds: { [key]: limit.own } }}
      onSave={save}
      onClose={onClose}
    >
      <p className="soft">{t(($) => $.matrix.limitText)}</p>
      <Form.Item
        name={['thresholds', key]}
        label={limit.name}
        rules={[numberRule(bounds)]}
        extra={
          <>
            {limit.zero_is_off && <>{t(($) => $.zeroIsOff)} </>}
            <WhatIfLink place={{ line_id: line.line_id }} setting={key} />
          </>
        }
      >
        <NumberField
          {...bounds}
          step={limit.step}
          unit={limit.unit}
          {...(inherited === null ? {} : { placeholder: writeNumber(inherited, i18n.language) })}
        />
      </Form.Item>
    </FormDrawer>
  );
};
