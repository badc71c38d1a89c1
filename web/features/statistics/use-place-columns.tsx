import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import type { EnergyColumn } from './EnergyTable.tsx';
import { addressOf } from './Head.tsx';
import type { EnergyUnit } from './use-energy-unit.ts';

interface PlaceRow {
  kind: 'project' | 'part' | 'device' | 'line';
  /** Null: energy that belongs to no part, or to none of the rows. */
  id: number | null;
  name: string;
  kwh: number | null;
  share: number | null;
}

/** Columns of a part, device or line: its name, which leads to its own figures, its energy and its share. */
export const usePlaceColumns = <Row extends PlaceRow>(
  projectId: number | null,
  unit: EnergyUnit,
  setUrl: SetUrl,
): EnergyColumn<Row>[] => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const nameOf = ({ id, name, kind }: Row) =>
    id !== null ? name : t(($) => (kind === 'part' ? $.noPart : $.left));
  return [
    {
      key: 'name',
      title: t(($) => $.name),
      render: (row) =>
        row.id === null ? (
          nameOf(row)
        ) : (
          <button
            type="button"
            className="link-button"
            onClick={() => setUrl(addressOf(row.kind, row.id!, projectId), { push: true })}
          >
            {nameOf(row)}
          </button>
        ),
    },
    { key: 'kwh', title: unit.name, number: true, render: ({ kwh }) => unit.text(kwh) },
    {
      key: 'share',
      title: t(($) => $.share),
      number: true,
      render: ({ share }) =>
        share === null ? (
          '—'
        ) : (
          <>
            <span className="energy-share" aria-hidden>
              <i style={{ width: `${share * 100}%` }} />
            </span>
            <span className="energy-percent">{formats.percent(share)}</span>
          </>
        ),
    },
  ];
};
