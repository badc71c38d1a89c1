import { useQuery } from '@tanstack/react-query';
import { Cascader } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useClear } from './use-clear.tsx';

type Region = ReplyOf<typeof sessionEndpoints.regions>[number];
interface Option {
  value: number;
  label: string;
  pinyin: string;
  children?: Option[];
}
const optionsOf = (regions: readonly Region[]): Option[] =>
  regions.flatMap(({ id, name, pinyin, city }) =>
    id === ''
      ? []
      : [
          {
            value: id,
            label: name,
            pinyin,
            ...(city.length > 0 ? { children: optionsOf(city) } : {}),
          },
        ],
  );
/** Ids from the province down to a region; null: not found. */
const pathTo = (options: readonly Option[], id: number): number[] | null => {
  for (const option of options) {
    if (option.value === id) return [id];
    const below = pathTo(option.children ?? [], id);
    if (below) return [option.value, ...below];
  }
  return null;
};
const isLike = (typed: string, path: readonly Option[]): boolean =>
  path.some(
    ({ label, pinyin }) =>
      label.toLowerCase().includes(typed.toLowerCase()) || pinyin.startsWith(typed.toLowerCase()),
  );

/**
 * Province, city, district. The tree is large and loads when the field is first opened; until then `known`
 * gives the value's name.
 */
export const RegionField = ({
  id,
  className,
  value,
  onChange,
  known,
  placeholder,
  anyLevel = false,
  ...rest
}: {
  id?: string;
  className?: string;
  value?: number | null | undefined;
  onChange?: (regionId: number | undefined) => void;
  known?: string | undefined;
  placeholder?: string;
  /** A province or city may be chosen too, for a filter. */
  anyLevel?: boolean;
  'aria-label'?: string;
}) => {
  const { t } = useTranslation('common');
  const clear = useClear();
  const [opened, setOpened] = useState(false);
  const needsNames = value !== undefined && value !== null && known === undefined;
  const tree = useQuery({
    ...endpointQuery(sessionEndpoints.regions, {}),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: opened || needsNames,
  });
  const options = useMemo(() => optionsOf(tree.data ?? []), [tree.data]);
  const path = value === undefined || value === null ? null : pathTo(options, value);
  return (
    <Cascader<Option>
      {...rest}
      {...(id === undefined ? {} : { id })}
      {...(className === undefined ? {} : { className })}
      options={options}
      value={path ?? []}
      allowClear={path !== null && anyLevel ? clear : false}
      changeOnSelect={anyLevel}
      loading={tree.isFetching}
      placeholder={path === null && known ? known : (placeholder ?? t(($) => $.region.choose))}
      displayRender={(labels) => labels.join(' · ')}
      showSearch={{ filter: isLike, limit: 30 }}
      notFoundContent={tree.isFetching ? t(($) => $.region.loading) : t(($) => $.region.none)}
      onOpenChange={(open) => open && setOpened(true)}
      onChange={(chosen) => onChange?.(chosen?.at(-1))}
    />
  );
};
