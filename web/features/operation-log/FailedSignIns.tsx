import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { operationLogEndpoints } from '#contract/operation-log.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { TimeText } from '#web/values/TimeText.tsx';

type FailedSignIn = ReplyOf<typeof operationLogEndpoints.failedSignIns>['list'][number];
const rowsAtOnce = 20;

/** Whose sign-ins failed, from which networks, and how often. */
export const FailedSignIns = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('operationLog');
  return (
    <Drawer open={open} title={t(($) => $.failed.title)} size={820} destroyOnHidden onClose={onClose}>
      <FailedList />
    </Drawer>
  );
};

const FailedList = () => {
  const { t } = useTranslation('operationLog');
  const formats = useFormats();
  const [state, setState] = useState<{ page: number; limit: number }>({ page: 1, limit: rowsAtOnce });
  const query = useQuery(keptQuery(operationLogEndpoints.failedSignIns, state));
  const list = query.data?.list;
  const columns: DataColumn<FailedSignIn>[] = [
    {
      key: 'account',
      title: t(($) => $.failed.account),
      required: true,
      card: 'title',
      render: ({ account }) => account || <span className="soft">{t(($) => $.failed.unknown)}</span>,
    },
    { key: 'network', title: t(($) => $.failed.network), render: ({ network }) => network },
    {
      key: 'failures',
      title: t(($) => $.failed.failures),
      align: 'right',
      render: ({ failures }) => formats.number(failures),
    },
    { key: 'first', title: t(($) => $.failed.first), render: ({ first_at }) => <TimeText at={first_at} /> },
    { key: 'last', title: t(($) => $.failed.last), render: ({ last_at }) => <TimeText at={last_at} /> },
  ];
  return (
    <>
      <p className="soft">{t(($) => $.failed.note)}</p>
      <DataTable
        id="failed-sign-ins"
        label={t(($) => $.failed.title)}
        columns={columns}
        rowId={(row) => list?.indexOf(row) ?? 0}
        rowName={({ account, network }) => `${account} ${network}`}
        query={query}
        state={state}
        onState={({ page, limit }) =>
          setState((before) => ({ page: Number(page ?? 1), limit: Number(limit ?? before.limit) }))
        }
        tools={
          <ExportButton
            endpoint={operationLogEndpoints.exportFailedSignIns}
            body={{}}
            fileName={t(($) => $.failed.title)}
          />
        }
        empty={t(($) => $.failed.empty)}
      />
    </>
  );
};
