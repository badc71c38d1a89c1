import {
  CloseOutlined,
  DownOutlined,
  FullscreenExitOutlined,
  FullscreenOutlined,
  UpOutlined,
} from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { AlarmDetail } from './AlarmDetail.tsx';
import { AlarmFoot, hasFoot } from './AlarmFoot.tsx';
import { alarmQuery } from './alarms.query.ts';

const neighbourMs = 10_000;

/** One alarm beside its list, without a mask, with its own address; or on the whole page. */
export const AlarmPanel = ({
  id,
  ids,
  full,
  onFull,
  onShow,
  onHandle,
  onUrge,
  onShelve,
}: {
  id: number;
  ids: readonly number[];
  full: boolean;
  onFull: (full: boolean) => void;
  onShow: (id: number | undefined) => void;
  onHandle: (id: number) => void;
  onUrge: (id: number) => void;
  onShelve: (row: AlarmRow) => void;
}) => {
  const { t } = useTranslation('alarms');
  const client = useQueryClient();
  const query = useQuery(alarmQuery(id));
  useLiveRefresh(
    ['alarm', 'alarm_update'],
    [alarmEndpoints.detail],
    500,
    (data) => 'typeNumber' in data && data.id === id,
  );
  const at = ids.indexOf(id);
  const before = at > 0 ? ids[at - 1] : undefined;
  const after = at < 0 ? undefined : ids[at + 1];
  // Preloads the alarm that the next key shows.
  useEffect(() => {
    for (const each of [after, before])
      if (each !== undefined) void client.prefetchQuery({ ...alarmQuery(each), staleTime: neighbourMs });
  }, [client, before, after]);
  const alarm = query.data;
  return (
    <aside className="incident alarm-drawer" aria-label={t(($) => $.detail.title)}>
      <header className="incident-bar">
        <h2>{alarm ? <AlarmTypeName code={alarm.typeNumber} /> : t(($) => $.detail.title)}</h2>
        <Button
          type="text"
          icon={<UpOutlined />}
          disabled={before === undefined}
          aria-label={t(($) => $.detail.previous)}
          onClick={() => before !== undefined && onShow(before)}
        />
        <Button
          type="text"
          icon={<DownOutlined />}
          disabled={after === undefined}
          aria-label={t(($) => $.detail.next)}
          onClick={() => after !== undefined && onShow(after)}
        />
        <Button
          type="text"
          icon={full ? <FullscreenExitOutlined /> : <FullscreenOutlined />}
          aria-label={t(($) => (full ? $.detail.beside : $.detail.full))}
          onClick={() => onFull(!full)}
        />
        <Button
          type="text"
          icon={<CloseOutlined />}
          aria-label={t(($) => $.detail.dismiss)}
          onClick={() => onShow(undefined)}
        />
      </header>
      <DataState key={id} query={query} rows={12}>
        {(shown) => <AlarmDetail alarm={shown} onShow={onShow} />}
      </DataState>
      {alarm && hasFoot(alarm) && (
        <AlarmFoot
          alarm={alarm}
          className="incident-foot"
          onHandle={() => onHandle(alarm.id)}
          onUrge={() => onUrge(alarm.id)}
          onShelve={() => onShelve(alarm)}
        />
      )}
    </aside>
  );
};
