import { DownOutlined, UpOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { AlarmDetail } from './AlarmDetail.tsx';
import { AlarmFoot, hasFoot } from './AlarmFoot.tsx';
import { alarmQuery } from './alarms.query.ts';

/** One alarm in a drawer of its list, with its own address. */
export const AlarmDrawer = ({
  id,
  ids,
  onShow,
  onHandle,
  onUrge,
  onShelve,
}: {
  id: number | null;
  ids: readonly number[];
  onShow: (id: number | undefined) => void;
  onHandle: (id: number) => void;
  onUrge: (id: number) => void;
  onShelve: (row: AlarmRow) => void;
}) => {
  const { t } = useTranslation('alarms');
  const query = useQuery({ ...alarmQuery(id ?? 0), enabled: id !== null });
  useLiveRefresh(
    ['alarm', 'alarm_update'],
    [alarmEndpoints.detail],
    500,
    (data) => id !== null && 'typeNumber' in data && data.id === id,
  );
  const at = id === null ? -1 : ids.indexOf(id);
  const step = (by: number) => {
    const next = at < 0 ? undefined : ids[at + by];
    if (next !== undefined) onShow(next);
  };
  return (
    <Drawer
      open={id !== null}
      onClose={() => onShow(undefined)}
      size={640}
      className="alarm-drawer"
      title={query.data ? <AlarmTypeName code={query.data.typeNumber} /> : t(($) => $.detail.title)}
      extra={
        <>
          <Button
            type="text"
            icon={<UpOutlined />}
            disabled={at <= 0}
            aria-label={t(($) => $.detail.previous)}
            onClick={() => step(-1)}
          />
          <Button
            type="text"
            icon={<DownOutlined />}
            disabled={at < 0 || at >= ids.length - 1}
            aria-label={t(($) => $.detail.next)}
            onClick={() => step(1)}
          />
        </>
      }
      footer={
        query.data &&
        hasFoot(query.data) && (
          <AlarmFoot
            alarm={query.data}
            className="drawer-foot alarm-foot"
            onHandle={() => onHandle(query.data.id)}
            onUrge={() => onUrge(query.data.id)}
            onShelve={() => onShelve(query.data)}
          />
        )
      }
    >
      {id !== null && (
        <DataState query={query} rows={12}>
          {(alarm) => <AlarmDetail alarm={alarm} onShow={onShow} />}
        </DataState>
      )}
    </Drawer>
  );
};
