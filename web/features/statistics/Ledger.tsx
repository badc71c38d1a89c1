import { useQuery } from '@tanstack/react-query';
import { Button, Pagination } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { keptQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { late } from '#web/parts/late.tsx';
import { type EnergyColumn, EnergyTable } from './EnergyTable.tsx';
import type { Correction } from './UndoDialog.tsx';
import { useZoned } from './zoned.ts';

const UndoDialog = late(async () => (await import('./UndoDialog.tsx')).UndoDialog);

const rowsAtOnce = 10;

/** The corrections of a line or a project: entries are only added, never changed. */
export const Ledger = ({ timeZone, ...of }: { timeZone: string; line_id?: number; project_id?: number }) => {
  const { t } = useTranslation('statistics');
  const [page, setPage] = useState(1);
  const query = useQuery(keptQuery(statisticsEndpoints.corrections, { ...of, page, limit: rowsAtOnce }));
  return (
    <section className={query.data?.total === 0 ? 'panel no-print' : 'panel'}>
      <div className="ledger-head">
        <h2>{t(($) => $.ledger.title)}</h2>
        {query.data !== undefined && query.data.total > 0 && (
          <ExportButton
            endpoint={statisticsEndpoints.exportCorrections}
            body={of}
            fileName={t(($) => $.ledger.title)}
          />
        )}
      </div>
      <DataState query={query} rows={2} isEmpty={({ total }) => total === 0} empty={t(($) => $.ledger.empty)}>
        {({ list, total }) => (
          <>
            <LedgerRows rows={list} timeZone={timeZone} />
            {total > rowsAtOnce && (
              <Pagination
                className="no-print"
                size="small"
                align="end"
                current={page}
                pageSize={rowsAtOnce}
                total={total}
                showSizeChanger={false}
                onChange={setPage}
              />
            )}
          </>
        )}
      </DataState>
    </section>
  );
};

const LedgerRows = ({ rows, timeZone }: { rows: readonly Correction[]; timeZone: string }) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const zoned = useZoned(timeZone);
  const mayCorrect = useCan('energy.correct');
  const [chosen, setChosen] = useState<Correction | null>(null);
  const columns: EnergyColumn<Correction>[] = [
    { key: 'id', title: '№', number: true, render: ({ id }) => id },
    {
      key: 'line',
      title: t(($) => $.kind.line),
      render: ({ device_number, line_name }) => `${device_number} · ${line_name}`,
    },
    {
      key: 'range',
      title: t(($) => $.ledger.range),
      render: ({ from, to }) => `${zoned.moment(from)} – ${zoned.moment(to)}`,
    },
    {
      key: 'before',
      title: t(($) => $.ledger.before),
      number: true,
      render: ({ before_kwh }) => formats.number(before_kwh, 2),
    },
    {
      key: 'after',
      title: t(($) => $.ledger.after),
      number: true,
      render: ({ after_kwh }) => formats.number(after_kwh, 2),
    },
    {
      key: 'reason',
      title: t(($) => $.correct.reason),
      render: ({ reason, undoes }) =>
        undoes === null ? reason : `${reason} (${t(($) => $.ledger.undoes, { id: undoes })})`,
    },
    { key: 'by', title: t(($) => $.ledger.by), render: ({ operator }) => operator },
    { key: 'when', title: t(($) => $.ledger.when), render: ({ time }) => zoned.moment(time) },
    {
      key: 'act',
      title: '',
      render: (row) =>
        row.undone_by !== null ? (
          <span className="soft">{t(($) => $.ledger.undone)}</span>
        ) : (
          mayCorrect &&
          row.undoes === null && (
            <Button className="energy-act" size="small" onClick={() => setChosen(row)}>
              {t(($) => $.ledger.undo)}
            </Button>
          )
        ),
    },
  ];
  return (
    <>
      <EnergyTable label={t(($) => $.ledger.title)} columns={columns} rows={rows} rowKey={({ id }) => id} />
      {chosen && <UndoDialog correction={chosen} onClose={() => setChosen(null)} />}
    </>
  );
};
