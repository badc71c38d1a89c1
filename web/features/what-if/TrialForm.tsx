import { Button, Form, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { parameterNames } from '#contract/parameter-names.ts';
import { mostTriedLines, triedCodes, triedKeysOf } from '#contract/what-if.ts';
import { useFormats } from '#web/i18n/format.ts';
import { NumberField } from '#web/parts/NumberField.tsx';
import { type Bounds, digitsOf, numberFlaw } from '#web/parts/number-flaw.ts';
import { ProjectPicker } from '#web/parts/ProjectPicker.tsx';
import type { SetUrl } from '#web/parts/url-state.ts';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { placeOf } from './place.ts';
import { type TrialLines, trialDays } from './trial.ts';

interface Asked {
  project_id?: number | undefined;
  device_id?: number | undefined;
  line_id?: number | undefined;
  type: number;
  key: string;
  value?: number | undefined;
  days: (typeof trialDays)[number];
}

/** Location, parameter, value, and number of days. */
export const TrialForm = ({
  search,
  found,
  busy,
  onPlace,
  onChange,
  onTry,
}: {
  search: Asked;
  found: TrialLines | undefined;
  busy: boolean;
  onPlace: (projectId: number | undefined) => void;
  onChange: SetUrl;
  onTry: (value: number) => void;
}) => {
  const { t, i18n } = useTranslation('whatIf');
  const language = i18n.language as Language;
  const { project_id, device_id, line_id, type, key, days } = search;
  const first = found?.lines[0];
  const within = line_id !== undefined || device_id !== undefined;
  const nameOf = (each: string) => parameterNames[each]?.[language] ?? each;
  return (
    <section className="panel what-if-form">
      <Form layout="vertical" component="div">
        <Form.Item label={t(($) => $.field.place)} {...(within ? {} : { htmlFor: 'what-if-project' })}>
          {within ? (
            <span className="what-if-place">
              <strong>{first ? placeOf(first, line_id !== undefined) : '…'}</strong>
              {first && (
                <Button
                  size="small"
                  onClick={() => onPlace(first.project_id ?? undefined)}
                  disabled={first.project_id === null}
                >
                  {t(($) => $.wholeProject)}
                </Button>
              )}
            </span>
          ) : (
            <ProjectPicker
              id="what-if-project"
              value={project_id}
              onChange={(id) => onPlace(id ?? undefined)}
              placeholder={t(($) => $.chooseProject)}
            />
          )}
        </Form.Item>
        <Form.Item label={t(($) => $.field.type)}>
          <Select
            aria-label={t(($) => $.field.type)}
            showSearch={{ optionFilterProp: 'label' }}
            value={type}
            onChange={(code) => onChange({ type: code, key: undefined, value: undefined })}
            options={triedCodes.map((code) => ({ value: code, label: alarmTypeName(code, language) }))}
          />
        </Form.Item>
        <Form.Item label={t(($) => $.field.key)}>
          <Select
            aria-label={t(($) => $.field.key)}
            value={key}
            onChange={(chosen) => onChange({ key: chosen, value: undefined })}
            options={triedKeysOf(type).map((each) => ({ value: each, label: nameOf(each) }))}
          />
        </Form.Item>
        <Form.Item label={t(($) => $.field.days)}>
          <Select
            aria-label={t(($) => $.field.days)}
            value={days}
            onChange={(chosen) => onChange({ days: chosen })}
            options={trialDays.map((value) => ({ value, label: t(($) => $.days, { count: Number(value) }) }))}
          />
        </Form.Item>
        {found && found.lines.length > 0 && (
          <ValueField key={`${type} ${key}`} found={found} given={search.value} busy={busy} onTry={onTry} />
        )}
      </Form>
      {found?.lines.length === 0 && <p className="empty-notice">{t(($) => $.noLines)}</p>}
      {found && found.total > found.lines.length && (
        <p className="is-early">{t(($) => $.tooMany, { most: mostTriedLines, total: found.total })}</p>
      )}
    </section>
  );
};

const ValueField = ({
  found,
  given,
  busy,
  onTry,
}: {
  found: TrialLines;
  given: number | undefined;
  busy: boolean;
  onTry: (value: number) => void;
}) => {
  const { t, i18n } = useTranslation('whatIf');
  const formats = useFormats();
  const unit = useUnit()(found.unit);
  const { min, max, step, lines } = found;
  const bounds: Bounds = { min, max, digits: digitsOf(step) };
  const [value, setValue] = useState<number | null>(given ?? null);
  const flaw = numberFlaw(value, bounds, i18n.language as Language);
  const known = lines.flatMap((line) => (line.value === null ? [] : [line.value]));
  const written = (each: number) =>
    `${formats.number(each, Number.isInteger(each) ? 0 : digitsOf(step) || 1)}\u00a0${unit}`;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const go = () => {
    if (value !== null && flaw === null) onTry(value);
  };
  return (
    <Form.Item
      label={t(($) => $.field.value)}
      validateStatus={flaw === null ? '' : 'error'}
      help={
        <span id="what-if-value-help">
          {flaw ??
            (known.length === 0
              ? t(($) => $.noValue)
              : t(($) => $.inEffect, {
                  value: [...new Set([least, most].map(written))].join(' – '),
                  count: lines.length,
                }))}
        </span>
      }
    >
      <span className="what-if-value">
        <NumberField
          {...bounds}
          aria-label={t(($) => $.field.value)}
          aria-describedby="what-if-value-help"
          step={step}
          unit={found.unit}
          value={value}
          onChange={setValue}
          flawed={flaw !== null}
        />
        <Button type="primary" loading={busy} disabled={value === null || flaw !== null} onClick={go}>
          {t(($) => $.act)}
        </Button>
      </span>
    </Form.Item>
  );
};
