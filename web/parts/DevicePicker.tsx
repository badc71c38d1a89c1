import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useDeferredValue, useState } from 'react';
import { deviceEndpoints } from '#contract/devices.ts';
import { endpointQuery, keptQuery } from '#web/api/query.ts';
import { useClear } from './use-clear.tsx';

const shownAtOnce = 20;

/** One device in scope, found by part of its number. */
export const DevicePicker = ({
  value,
  onChange,
  label,
  id,
  disabled = false,
  projectId,
}: {
  value?: number | undefined;
  onChange?: (deviceId: number | undefined) => void;
  label: string;
  id?: string;
  disabled?: boolean;
  /** Only devices of this project. */
  projectId?: number;
}) => {
  const clear = useClear();
  const [typed, setTyped] = useState('');
  const number = useDeferredValue(typed.trim());
  const found = useQuery(
    keptQuery(deviceEndpoints.list, {
      limit: shownAtOnce,
      ...(number === '' ? {} : { number }),
      ...(projectId === undefined ? {} : { project_id: projectId }),
    }),
  );
  const chosen = useQuery({
    ...endpointQuery(deviceEndpoints.detail, { device_id: value ?? 0 }),
    enabled: value !== undefined,
  });
  const rows = [
    ...(chosen.data && value !== undefined ? [chosen.data] : []),
    ...(found.data?.list ?? []).filter(({ device_id }) => device_id !== value),
  ];
  return (
    <Select
      {...(id === undefined ? {} : { id })}
      className="filter-field"
      aria-label={label}
      placeholder={label}
      allowClear={clear}
      disabled={disabled}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={found.isFetching}
      value={value ?? null}
      options={rows.map(({ device_id, number: shown, name }) => ({
        value: device_id,
        label: `${shown} · ${name}`,
      }))}
      onChange={(given: number | null | undefined) => onChange?.(given ?? undefined)}
    />
  );
};
