import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { Action, Line } from './lines.query.ts';

const awaited = 'uninspected';

/**
 * Links from the refusal to close after a trip to the inspection record that ends it; nothing for other
 * refusals.
 */
export const InspectionLink = ({
  line: { device_id, line_id },
  projectId,
  close,
}: {
  line: Line;
  projectId: number | null;
  close: Action | undefined;
}) => {
  const { t } = useTranslation('lines');
  const mayWrite = useCan('maintenance.write');
  if (close?.reason !== awaited) return null;
  if (!mayWrite) return <p className="line-note">{t(($) => $.inspectionBy)}</p>;
  return (
    <PathLink
      className="line-inspection"
      to={paths.maintenance({ write: 'new', project_id: projectId ?? undefined, device_id, line_id })}
    >
      {t(($) => $.recordInspection)}
    </PathLink>
  );
};
