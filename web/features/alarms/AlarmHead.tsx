import { FilterOutlined, ReloadOutlined } from '@ant-design/icons';
import { Button, Drawer, Select } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useClear } from '#web/parts/use-clear.tsx';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useLow, useRoom } from '#web/theme/use-room.ts';
import { AlarmCounters } from './AlarmCounters.tsx';
import './alarm-head.css';
import { AlarmFilters } from './AlarmFilters.tsx';
import { type AlarmSearch, filterOf } from './alarm-search.ts';
import { type FreshCount, useFresh } from './use-live-alarms.ts';

interface Head {
  title: string;
  search: AlarmSearch;
  onChange: SetUrl;
  ofProject: boolean;
  /** Buttons that act on the whole list. */
  tools: ReactNode;
  /** Returns the button to handle all alarms; `first` runs before its dialog opens. */
  handleAll: (first?: () => void) => ReactNode;
  /** Undefined: not known. */
  total: number | undefined;
  fresh: FreshCount;
  onShowFresh: () => void;
  /** Null if the list refreshes by itself. */
  onRefresh: (() => void) | null;
  onReset: () => void;
}

/** The head of the list on a phone and above the log. The queue has two bars of its own instead. */
export const AlarmHead = (head: Head) => {
  const low = useLow();
  return useRoom('table') && !low ? <WideHead {...head} /> : <PhoneHead {...head} />;
};

const WideHead = ({ title, search, onChange, ofProject, tools, handleAll }: Head) => (
  <>
    <PageHeader title={title}>
      {tools}
      {handleAll()}
    </PageHeader>
    <AlarmFilters search={search} onChange={onChange} ofProject={ofProject} />
  </>
);

/**
 * One sticky line and one line of counts, so that the first alarm is high on the screen; filters and tools are
 * in a sheet.
 */
const PhoneHead = (head: Head) => {
  const { title, search, onChange, total, onShowFresh, onRefresh } = head;
  const fresh = useFresh(head.fresh);
  const { t: tc } = useTranslation('common');
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const { project_id, ...others } = filterOf(search);
  const narrowed = Object.keys(head.ofProject ? others : filterOf(search)).length;
  const note = (
    // This space is reserved, so that an announcement moves nothing.
    <span className="alarm-head-note" aria-live="polite">
      {fresh > 0 ? (
        <button type="button" className="alarm-head-fresh" onClick={onShowFresh}>
          {tc(($) => $.table.fresh, { count: fresh })}
        </button>
      ) : (
        search.group !== 'log' && (
          <span className="soft tabular">{total === undefined ? '—' : formats.number(total)}</span>
        )
      )}
    </span>
  );
  return (
    <>
      <div className="alarm-head">
        <PageHeader title={title} note={note}>
          {onRefresh && (
            <Button
              type="text"
              icon={<ReloadOutlined aria-hidden />}
              aria-label={tc(($) => $.table.refresh)}
              onClick={onRefresh}
            />
          )}
          <Button
            icon={<FilterOutlined aria-hidden />}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={() => setOpen(true)}
          >
            <span className="alarm-head-word">{tc(($) => $.filter.more)}</span>
            {narrowed > 0 && ` (${narrowed})`}
          </Button>
        </PageHeader>
      </div>
      {search.group !== 'log' && (
        <div className="alarm-head-counters">
          <AlarmCounters search={search} onChange={onChange} />
        </div>
      )}
      {isOpen && <FilterSheet {...head} narrowed={narrowed} onClose={() => setOpen(false)} />}
    </>
  );
};

const FilterSheet = ({
  search,
  onChange,
  ofProject,
  tools,
  handleAll,
  total,
  onReset,
  narrowed,
  onClose,
}: Head & { narrowed: number; onClose: () => void }) => {
  const { t } = useTranslation('alarms');
  const { t: tc } = useTranslation('common');
  const clear = useClear();
  useFocusBack();
  const age = t(($) => $.column.age);
  return (
    <Drawer
      open
      rootClassName="alarm-sheet"
      placement="bottom"
      size="auto"
      title={tc(($) => $.filter.more)}
      onClose={onClose}
      footer={
        <div className="alarm-sheet-foot">
          {narrowed > 0 && <Button onClick={onReset}>{tc(($) => $.filter.reset)}</Button>}
          <Button type="primary" onClick={onClose}>
            {total === undefined ? t(($) => $.showTheseUnknown) : t(($) => $.showThese, { count: total })}
          </Button>
        </div>
      }
    >
      <div className="alarm-sheet-tools">{tools}</div>
      {search.group === undefined && (
        <Select
          className="alarm-sheet-sort"
          aria-label={tc(($) => $.table.sortBy)}
          placeholder={tc(($) => $.table.sortBy)}
          allowClear={clear}
          value={search.sort ?? null}
          onChange={(sort: string | null | undefined) => onChange({ sort, page: undefined })}
          options={[
            { value: 'time', label: `${age} ↑` },
            { value: '-time', label: `${age} ↓` },
          ]}
        />
      )}
      <AlarmFilters search={search} onChange={onChange} ofProject={ofProject} whole />
      {handleAll(onClose)}
    </Drawer>
  );
};
