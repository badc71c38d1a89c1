import { useQuery } from '@tanstack/react-query';
import { App, Form, Select } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmTypeEndpoints } from '#contract/alarm-types.ts';
import type { Language } from '#contract/languages.ts';
import { parameterNames } from '#contract/parameter-names.ts';
import { deviceTypes } from '#contract/telemetry.ts';
import { Fault } from '#web/api/fault.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useManagesEveryProject } from '#web/api/session.ts';
import { writeNumber } from '#web/i18n/number.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { type Bounds, digitsOf, numberRule } from '#web/parts/number-flaw.ts';
import { mostOffered, useProjectChoice } from '#web/parts/use-project-choice.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { WhatIfLink } from '#web/parts/WhatIfLink.tsx';

interface Values {
  thresholds: Record<string, number | null>;
}

/** Thresholds of all devices of a type, in one project or the whole installation. */
export const DefaultThresholds = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t, i18n } = useTranslation('alarmTypes');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReload(alarmTypeEndpoints.defaults);
  const everywhere = useManagesEveryProject();
  const prove = useProvenCall();
  const [form] = Form.useForm<Values>();
  const [type, setType] = useState(3);
  const [chosen, setChosen] = useState<number>();
  const projects = useProjectChoice(chosen, { most: mostOffered, enabled: open });
  const project = chosen ?? (everywhere ? undefined : projects.first.data?.list[0]?.project_id);
  const where = { device_type: type, ...(project === undefined ? {} : { project_id: project }) };
  const query = useQuery({
    ...endpointQuery(alarmTypeEndpoints.defaults, where),
    enabled: open && (everywhere || project !== undefined),
  });
  const parameters = query.data?.parameters;
  const place = `${type} ${project}`;
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (!open) shown.current = undefined;
    if (!open || !parameters) return;
    // Values typed for another level do not apply here; otherwise typed values stay when the server's values
    // change.
    if (shown.current !== undefined && shown.current !== place) form.resetFields();
    shown.current = place;
    form.setFields(
      parameters
        .map(({ key, value }) => ({
          name: ['thresholds', key] as ['thresholds', string],
          value,
          touched: false,
        }))
        .filter(({ name }) => !form.isFieldTouched(name)),
    );
  }, [form, open, parameters, place]);

  const save = async ({ thresholds }: Values) => {
    const changed = (parameters ?? []).flatMap(({ key, value }) => {
      const given = thresholds[key] ?? null;
      return given === value ? [] : [[key, given] as const];
    });
    const given = { ...where, thresholds: Object.fromEntries(changed), revision: query.data?.revision };
    try {
      const done = await prove(alarmTypeEndpoints.setDefaults, { ...given });
      if (!done) return false;
    } catch (error) {
      if (error instanceof Fault && error.status === 409) await reload();
      throw error;
    }
    void message.success(t(($) => $.thresholds.saved));
    await reload();
    return true;
  };
  return (
    <FormDrawer
      open={open}
      title={t(($) => $.thresholds.title)}
      form={form}
      initial={{ thresholds: {} }}
      onSave={save}
      onClose={onClose}
    >
      <p className="soft">{t(($) => $.thresholds.text)}</p>
      <div className="default-thresholds-where">
        <Select
          aria-label={t(($) => $.thresholds.where)}
          {...projects.select}
          value={project ?? (everywhere ? 0 : null)}
          onChange={(id) => setChosen(id === 0 ? undefined : id)}
          options={[
            ...(everywhere ? [{ value: 0, label: t(($) => $.thresholds.everywhere) }] : []),
            ...projects.select.options,
          ]}
        />
        <Select
          aria-label={t(($) => $.column.devices)}
          value={type}
          onChange={setType}
          options={deviceTypes.map((value) => ({ value, label: tc(($) => $.deviceTypes[`${value}`]) }))}
        />
      </div>
      {(parameters ?? []).map(({ key, unit, min, max, step, zero_is_off, inherited }) => {
        const bounds: Bounds = { min, max, digits: digitsOf(step), zeroIsOff: zero_is_off };
        return (
          <Form.Item
            key={key}
            rules={[numberRule(bounds)]}
            name={['thresholds', key]}
            label={parameterNames[key]?.[i18n.language as Language] ?? key}
            extra={
              <>
                {zero_is_off && <>{t(($) => $.thresholds.zero)} </>}
                <WhatIfLink place={project === undefined ? {} : { project_id: project }} setting={key} />
              </>
            }
          >
            <NumberField
              {...bounds}
              step={step}
              unit={unit}
              placeholder={
                inherited === null ? t(($) => $.thresholds.catalogue) : writeNumber(inherited, i18n.language)
              }
            />
          </Form.Item>
        );
      })}
    </FormDrawer>
  );
};
