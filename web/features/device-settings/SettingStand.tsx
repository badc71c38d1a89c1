import { useTranslation } from 'react-i18next';
import { LastSeen } from '#web/values/LastSeen.tsx';
import type { Standing } from './settings.query.ts';

/**
 * The state of a desired value: waiting, applied, refused, in conflict, or drifted from the confirmed value.
 */
export const SettingStand = ({
  standing,
  children,
}: {
  standing: Standing;
  /** The desired value, as it is shown. */
  children: React.ReactNode;
}) => {
  const { t } = useTranslation('deviceSettings');
  if (standing.state === 'none') return <span className="soft">—</span>;
  const state = standing.drift ? 'drift' : standing.state;
  return (
    <span className={`setting-stand is-${state}`}>
      {children} <strong>{t(($) => $.state[state])}</strong>
      {standing.message && <span className="soft"> {standing.message}</span>}
      {state !== 'applied' && standing.wished_at && (
        <span className="soft">
          {' '}
          {standing.operator} · <LastSeen at={standing.wished_at} />
        </span>
      )}
    </span>
  );
};
