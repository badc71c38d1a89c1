import {
  FilterOutlined,
  LeftOutlined,
  ReloadOutlined,
  RightOutlined,
  SettingOutlined,
} from '@ant-design/icons';
import { Button, Popover, Select } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useFormats } from '#web/i18n/format.ts';
import { FilterBar, type FilterField, type FilterValues } from '#web/parts/FilterBar.tsx';
import type { DataColumn, ListState } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { type FreshCount, useFresh } from '../use-live-alarms.ts';

const pageSizes = [20, 50, 100, 200];
const namesOf = (field: FilterField) => (field.kind === 'range' ? [field.from, field.to] : [field.name]);
/** The three filters in constant use; the others are behind a button. */
const ready: ReadonlySet<string> = new Set(['number', 'severity', 'project_id']);
const isReady = (field: FilterField) => field.kind !== 'range' && ready.has(field.name);

/** The second bar of the queue: filters, new alarms, columns and pages, always in the same position. */
export const QueueTools = ({
  fields,
  values,
  state,
  onState,
  total,
  fresh,
  onShowFresh,
  columns,
  chosen,
  onChoose,
  onRefresh,
  pages,
  handleAll,
}: {
  fields: readonly FilterField[];
  values: FilterValues;
  state: ListState;
  onState: SetUrl;
  /** Undefined: not known. */
  total: number | undefined;
  fresh: FreshCount;
  onShowFresh: () => void;
  columns: readonly DataColumn<AlarmRow>[];
  chosen: readonly string[];
  onChoose: (keys: string[]) => void;
  onRefresh: () => void;
  /** Groups are made from one page. */
  pages: boolean;
  handleAll: ReactNode;
}) => {
  const { t } = useTranslation('common');
  const behind = fields.filter((field) => !isReady(field));
  const active = behind.flatMap(namesOf).filter((name) => values[name] !== undefined).length;
  return (
    <div className="queue-bar queue-tools">
      <FilterBar fields={fields.filter(isReady)} values={values} onChange={onState} />
      <Popover
        trigger="click"
        placement="bottomLeft"
        content={
          <div className="queue-more">
            <FilterBar fields={behind} values={values} onChange={onState} />
          </div>
        }
      >
        <Button icon={<FilterOutlined aria-hidden />}>
          {t(($) => $.filter.more)}
          {active > 0 && ` (${active})`}
        </Button>
      </Popover>
      <NewAlarms fresh={fresh} onShow={onShowFresh} />
      {handleAll}
      {!pages && (
        <span className="soft tabular nowrap">
          {total === undefined ? '—' : t(($) => $.table.total, { count: total })}
        </span>
      )}
      <Button
        type="text"
        icon={<ReloadOutlined aria-hidden />}
        title={t(($) => $.table.refresh)}
        aria-label={t(($) => $.table.refresh)}
        onClick={onRefresh}
      />
      <Popover
        trigger="click"
        placement="bottomRight"
        content={
          <div className="column-chooser">
            {columns.map(({ key, title, required }) => (
              <label key={key}>
                <input
                  type="checkbox"
                  checked={chosen.includes(key)}
                  disabled={required ?? false}
                  onChange={(event) =>
                    onChoose(event.target.checked ? [...chosen, key] : chosen.filter((each) => each !== key))
                  }
                />{' '}
                {title}
              </label>
            ))}
          </div>
        }
      >
        <Button type="text" icon={<SettingOutlined aria-hidden />} aria-label={t(($) => $.table.columns)} />
      </Popover>
      {pages && total !== undefined && total > 0 && <Pages state={state} onState={onState} total={total} />}
    </div>
  );
};

const NewAlarms = ({ fresh, onShow }: { fresh: FreshCount; onShow: () => void }) => {
  const { t } = useTranslation('common');
  const count = useFresh(fresh);
  return (
    <span className="queue-fresh" aria-live="polite">
      {count > 0 && (
        <button type="button" className="fresh-bar" onClick={onShow}>
          {t(($) => $.table.fresh, { count })}
        </button>
      )}
    </span>
  );
};

/** The visible row numbers and the total, with the previous and next page. */
const Pages = ({ state, onState, total }: { state: ListState; onState: SetUrl; total: number }) => {
  const { t } = useTranslation('alarms');
  const formats = useFormats();
  const { page, limit } = state;
  const from = (page - 1) * limit + 1;
  const go = (next: number) => onState({ page: next }, { push: true });
  return (
    <span className="queue-pages">
      <span className="tabular nowrap">
        {t(($) => $.queue.range, {
          from: formats.number(from),
          to: formats.number(Math.min(total, from + limit - 1)),
          total: formats.number(total),
        })}
      </span>
      <Button
        type="text"
        icon={<LeftOutlined aria-hidden />}
        aria-label={t(($) => $.queue.pageBefore)}
        disabled={page <= 1}
        onClick={() => go(page - 1)}
      />
      <Button
        type="text"
        icon={<RightOutlined aria-hidden />}
        aria-label={t(($) => $.queue.pageAfter)}
        disabled={page * limit >= total}
        onClick={() => go(page + 1)}
      />
      <Select
        aria-label={t(($) => $.queue.perPage)}
        value={limit}
        options={pageSizes.map((value) => ({ value, label: String(value) }))}
        onChange={(next: number) => onState({ page: undefined, limit: next }, { push: true })}
      />
    </span>
  );
};

/** Replaces the second bar while rows are selected. */
export const QueuePicked = ({ children }: { children: ReactNode }) => (
  <div className="queue-bar queue-picked" role="status">
    {children}
  </div>
);
