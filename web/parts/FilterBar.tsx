import { FilterOutlined } from '@ant-design/icons';
import { Button, Select } from 'antd';
// Imported alone, because antd's index of `Input` also loads five other kinds of fields.
import Input from 'antd/es/input/Input.js';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useLow, useRoom } from '#web/theme/use-room.ts';
import { type FilterField, type FilterValues, namesOf } from './filter-types.ts';
import { ProjectFilter } from './ProjectFilter.tsx';
import './table/table.css';
import type { SetUrl } from './url-state.ts';
import { useClear } from './use-clear.tsx';

const RangeFilter = lazy(async () => ({ default: (await import('./RangeFilter.tsx')).RangeFilter }));

export type { FilterField, FilterValues };

const textOf = (value: FilterValues[string]) => (value === undefined ? undefined : String(value));

/** Filters of a list; each change goes to the address and to page 1. */
export const FilterBar = ({
  fields,
  values,
  onChange,
  whole = false,
}: {
  fields: readonly FilterField[];
  values: FilterValues;
  onChange: SetUrl;
  /** Shows all fields, also where there is little room. */
  whole?: boolean;
}) => {
  const { t } = useTranslation('common');
  const [fits, low] = [useRoom('table'), useLow()];
  const wide = (fits && !low) || whole;
  const [open, setOpen] = useState(false);
  const names = fields.flatMap(namesOf);
  const active = names.filter((name) => values[name] !== undefined).length;
  const change: SetUrl = (patch) => onChange({ ...patch, page: undefined });
  const first = fields.filter((field) => field.kind === 'text' && field.primary);
  const shown = wide || open ? fields : first;
  return (
    <search className={wide || open ? 'filter-bar' : 'filter-bar is-short'}>
      {shown.map((field) => (
        <OneFilter key={namesOf(field)[0]} field={field} values={values} onChange={change} />
      ))}
      {!wide && first.length < fields.length && (
        <Button icon={<FilterOutlined aria-hidden />} aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(($) => $.filter.more)}
          {active > 0 && ` (${active})`}
        </Button>
      )}
      {active > 0 && (
        <Button
          type="link"
          onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {t(($) => $.filter.reset)}
        </Button>
      )}
    </search>
  );
};

/**
 * A label of a choice, an option, or a label of a text field needs more width above this number of letters.
 */
const [longLabel, longChoice, longText] = [14, 20, 18];
const isLong = ({ label, options }: FilterField & { kind: 'choice' }) =>
  label.length > longLabel || options.some((option) => option.label.length > longChoice);
const OneFilter = ({
  field,
  values,
  onChange,
}: {
  field: FilterField;
  values: FilterValues;
  onChange: SetUrl;
}) => {
  const clear = useClear();
  const { t } = useTranslation('common');
  const { colon } = useFormats();
  if (field.kind === 'text')
    return <TextFilter field={field} value={textOf(values[field.name]) ?? ''} onChange={onChange} />;
  if (field.kind === 'project') {
    const given = textOf(values[field.name]);
    return (
      <ProjectFilter
        label={field.label}
        value={given === undefined ? undefined : Number(given)}
        onChange={(id) => onChange({ [field.name]: id })}
      />
    );
  }
  if (field.kind === 'choice')
    return (
      <Select
        className={`filter-field${isLong(field) ? ' is-long' : ''}`}
        aria-label={field.label}
        placeholder={`${field.label}${colon}${t(($) => $.filter.all)}`}
        allowClear={clear}
        showSearch={field.searchable ? { optionFilterProp: 'label' } : false}
        popupMatchSelectWidth={false}
        value={textOf(values[field.name]) ?? null}
        options={[...field.options]}
        onChange={(value: string | null | undefined) => onChange({ [field.name]: value })}
      />
    );
  return (
    <Suspense fallback={<span className="filter-range filter-room" />}>
      <RangeFilter field={field} values={values} onChange={onChange} />
    </Suspense>
  );
};

const typingMs = 400;
const TextFilter = ({
  field,
  value,
  onChange,
}: {
  field: FilterField & { kind: 'text' };
  value: string;
  onChange: SetUrl;
}) => {
  const clear = useClear();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const commit = (text: string) => {
    if (text.trim() !== value) onChange({ [field.name]: text.trim() });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the wait
  useEffect(() => {
    const timer = window.setTimeout(() => commit(typed), typingMs);
    return () => window.clearTimeout(timer);
  }, [typed]);
  return (
    <Input
      className={`filter-field${field.label.length > longText ? ' is-long' : ''}`}
      data-search={field.primary}
      allowClear={clear}
      aria-label={field.label}
      placeholder={field.label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onPressEnter={() => commit(typed)}
    />
  );
};
