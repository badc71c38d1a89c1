import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useDeferredValue, useState } from 'react';
import { useClear } from './use-clear.tsx';
import { mostOffered, projectQuery, projectsQuery } from './use-project-choice.ts';

interface Named {
  id: number;
  name: string;
}

/** Projects in the caller's scope, found by part of the name, and the chosen ones. `known`: names that need no call. */
const useProjects = (known: readonly Named[], chosen: readonly number[]) => {
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  const found = useQuery({ ...projectsQuery(name, mostOffered), placeholderData: keepPreviousData });
  const names = new Map([
    ...known.map((each) => [each.id, each.name] as const),
    ...(found.data?.list ?? []).map((each) => [each.project_id, each.name] as const),
  ]);
  const missing = found.data ? chosen.filter((id) => !names.has(id)) : [];
  const alone = useQueries({ queries: missing.map(projectQuery) });
  for (const { data } of alone) for (const each of data?.list ?? []) names.set(each.project_id, each.name);
  return {
    loading: found.isFetching,
    showSearch: { filterOption: false, onSearch: setTyped },
    options: [...names].map(([value, label]) => ({ value, label })),
  };
};

export const ProjectPicker = ({
  value,
  onChange,
  known = [],
  placeholder,
  id,
  label,
  clearable = true,
  disabled = false,
}: {
  value?: number | null | undefined;
  onChange?: (projectId: number | null) => void;
  known?: readonly Named[];
  placeholder?: string;
  id?: string;
  /** Its name, where no label of a form gives one. */
  label?: string;
  clearable?: boolean;
  disabled?: boolean;
}) => {
  const clear = useClear();
  return (
    <Select<number>
      {...(id === undefined ? {} : { id })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...useProjects(known, typeof value === 'number' ? [value] : [])}
      {...(value === null || value === undefined ? {} : { value })}
      {...(clearable ? { allowClear: clear } : {})}
      disabled={disabled}
      placeholder={placeholder}
      onChange={(chosen: number | undefined) => onChange?.(chosen ?? null)}
    />
  );
};

export const ProjectsPicker = ({
  value,
  onChange,
  known = [],
  placeholder,
  id,
}: {
  value?: number[];
  onChange?: (projectIds: number[]) => void;
  known?: readonly Named[];
  placeholder?: string;
  id?: string;
}) => (
  <Select<number[]>
    {...(id === undefined ? {} : { id })}
    {...useProjects(known, value ?? [])}
    mode="multiple"
    value={value ?? []}
    placeholder={placeholder}
    onChange={(chosen) => onChange?.(chosen)}
  />
);
