import { Descriptions, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import type { OperationRow } from '#contract/operation-log.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { Channel } from './Channel.tsx';

/** One complete entry: its parameters, and the proof that it was not changed. */
export const OperationDrawer = ({ row, onClose }: { row: OperationRow | null; onClose: () => void }) => (
  <Drawer open={row !== null} onClose={onClose} size={560} destroyOnHidden title={row?.description}>
    {row && <Entry row={row} />}
  </Drawer>
);

const Entry = ({ row }: { row: OperationRow }) => {
  const { t } = useTranslation('operationLog');
  useFocusBack();
  return (
    <Descriptions
      column={1}
      size="small"
      items={[
        { key: 'id', label: '#', children: row.id },
        { key: 'time', label: t(($) => $.column.time), children: <TimeText at={row.time} /> },
        { key: 'operator', label: t(($) => $.column.operator), children: row.operator },
        { key: 'key', label: t(($) => $.column.key), children: <code>{row.key}</code> },
        { key: 'outcome', label: t(($) => $.column.outcome), children: t(($) => $.outcome[row.outcome]) },
        { key: 'code', label: t(($) => $.detail.code), children: row.code },
        { key: 'channel', label: t(($) => $.column.channel), children: <Channel of={row.channel} /> },
        { key: 'ip', label: t(($) => $.column.client_ip), children: row.client_ip },
        { key: 'request', label: t(($) => $.detail.requestId), children: row.request_id },
        {
          key: 'hash',
          label: t(($) => $.detail.hash),
          children: <code className="operation-hash">{row.hash}</code>,
        },
        {
          key: 'parameters',
          label: t(($) => $.detail.parameters),
          children: <pre className="operation-parameters">{JSON.stringify(row.parameters, null, 2)}</pre>,
        },
      ]}
    />
  );
};
