import { ThunderboltOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Collapse } from 'antd';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useCan } from '#web/api/session.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { FreshBar } from '#web/parts/table/FreshBar.tsx';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { AlarmStanding } from './AlarmStanding.tsx';
import { AlarmValue } from './AlarmValue.tsx';
import { byDevice, byStorm, type Grouping, openOf, titleOf } from './alarm-groups.ts';
import { type AlarmSearch, groupedSearch } from './alarm-search.ts';
import { alarmsQuery } from './alarms.query.ts';
import { GroupFacts } from './GroupFacts.tsx';
import { type FreshCount, useFresh } from './use-live-alarms.ts';

/**
 * The most severe alarms of the filter, grouped by device or by storm; each group can be handled or reminded
 * as one.
 */
export const AlarmGroups = ({
  search,
  fresh,
  onShowFresh,
  onOpen,
  onHandle,
  onUrge,
}: {
  search: AlarmSearch & { group: Grouping };
  fresh: FreshCount;
  onShowFresh: () => void;
  onOpen: (id: number) => void;
  onHandle: (ids: readonly number[]) => void;
  onUrge: (ids: readonly number[]) => void;
}) => {
  const { t } = useTranslation('alarms');
  const { t: tc } = useTranslation('common');
  const [canHandle, canUrge] = [useCan('alarm.handle'), useCan('alarm.urge')];
  const query = useQuery(alarmsQuery(groupedSearch(search)));
  const count = useFresh(fresh);
  const rowOf = (row: AlarmRow) => (
    <li key={row.id}>
      <span>
        <button type="button" className="link-button" onClick={() => onOpen(row.id)}>
          <AlarmLevel level={row.level} compact /> <AlarmTypeName code={row.typeNumber} />
        </button>{' '}
        <span className="soft">
          {[search.group === 'storm' && row.device_number, row.line_name].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="alarm-group-end">
        <AlarmValue row={row} />
        <AlarmStanding row={row} />
        <LastSeen at={row.time} />
      </span>
    </li>
  );
  return (
    <>
      {count > 0 && <FreshBar count={count} onShow={onShowFresh} />}
      <DataState
        query={query}
        rows={10}
        isEmpty={({ list }) => list.length === 0}
        empty={tc(($) => $.table.nothing)}
      >
        {({ list, total }) => (
          <>
            {total > list.length && (
              <p className="soft">{t(($) => $.group.part, { count: list.length, total })}</p>
            )}
            <Collapse
              className="alarm-groups"
              collapsible="header"
              items={(search.group === 'device' ? byDevice(list) : byStorm(list)).map((group) => ({
                key: group.key,
                label: (
                  <span className="alarm-group-head">
                    <strong>
                      {search.group === 'storm' && group.storm && <ThunderboltOutlined aria-hidden />}{' '}
                      {titleOf(group, search.group)}
                    </strong>
                    <GroupFacts group={group} by={search.group} />
                  </span>
                ),
                extra: openOf(group).length > 0 && (
                  <span className="row-actions">
                    {canHandle && (
                      <Button size="small" type="primary" onClick={() => onHandle(openOf(group))}>
                        {t(($) => $.group.handle, { count: openOf(group).length })}
                      </Button>
                    )}
                    {canUrge && (
                      <Button size="small" onClick={() => onUrge(openOf(group))}>
                        {t(($) => $.urge.act)}
                      </Button>
                    )}
                  </span>
                ),
                children: <ul className="plain-list">{group.rows.map(rowOf)}</ul>,
              }))}
            />
          </>
        )}
      </DataState>
    </>
  );
};
