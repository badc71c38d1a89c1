import { useTranslation } from 'react-i18next';
import { triedCodes, triedKeysOf } from '#contract/what-if.ts';
import { useCan } from '#web/api/session.ts';
import { PathLink } from './PathLink.tsx';
import { paths } from './paths.ts';

/** The alarm type that a parameter belongs to. */
const codeOf = (key: string): number | undefined =>
  triedCodes.find((code) => triedKeysOf(code).includes(key));

/** Links to a what-if of a limit, a deadband or a delay; nothing if none can be tested. */
export const WhatIfLink = ({
  place,
  typeNumber,
  setting,
}: {
  place: { project_id?: number; device_id?: number; line_id?: number };
  typeNumber?: number;
  setting?: string | undefined;
}) => {
  const { t } = useTranslation('common');
  const type = typeNumber ?? (setting === undefined ? undefined : codeOf(setting));
  if (!useCan('statistics.alarm') || type === undefined || triedKeysOf(type).length === 0) return null;
  return (
    <PathLink className="what-if-link" to={paths.whatIf({ ...place, type, key: setting })}>
      {t(($) => $.tryIt)}
    </PathLink>
  );
};
