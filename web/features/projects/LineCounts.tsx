import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';
import type { ProjectRow } from './projects.query.ts';

/**
 * Lines with a switch: closed and open by fresh reports, the others unknown since their oldest report, and
 * tripped ones.
 */
export const LineCounts = ({ row }: { row: ProjectRow }) => {
  const { t } = useTranslation('projects');
  const formats = useFormats();
  const { lines_closed, lines_open, lines_unknown, lines_tripped, position_at } = row;
  if (lines_closed + lines_open + lines_unknown === 0) return '—';
  const parts = [
    t(($) => $.lines.closed, { closed: formats.number(lines_closed) }),
    t(($) => $.lines.open, { open: formats.number(lines_open) }),
    ...(lines_tripped > 0
      ? [
          <strong key="tripped">
            {t(($) => $.lines.tripped, { tripped: formats.number(lines_tripped) })}
          </strong>,
        ]
      : []),
    ...(lines_unknown > 0
      ? [
          <span key="unknown" className="is-stale">
            {t(($) => $.lines.unknown, { unknown: formats.number(lines_unknown) })}
            {position_at !== null && (
              <>
                {' ('}
                <LastSeen at={position_at} />)
              </>
            )}
          </span>,
        ]
      : []),
  ];
  return (
    <span className="line-counts">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their order is fixed
        <Fragment key={index}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </span>
  );
};
