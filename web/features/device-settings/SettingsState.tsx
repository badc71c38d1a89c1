import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { LastSeen } from '#web/values/LastSeen.tsx';

/** Age of the device's report, whether desired values wait and why, and how many values have drifted. */
export const SettingsState = ({
  about,
  drifted,
}: {
  about: { reported_revision: number | null; reported_at: string | null; waits_message: string | null };
  drifted: number;
}) => {
  const { t } = useTranslation('deviceSettings');
  return (
    <>
      <p className="soft">
        {about.reported_revision === null ? (
          t(($) => $.unreported)
        ) : (
          <>
            {t(($) => $.reportedBefore)} <LastSeen at={about.reported_at} /> ·{' '}
            {t(($) => $.revision, { revision: about.reported_revision })}
          </>
        )}
      </p>
      {about.waits_message !== null && (
        <Alert
          type="info"
          showIcon
          className="setting-notice"
          title={t(($) => $.staged)}
          description={about.waits_message}
        />
      )}
      {drifted > 0 && (
        <Alert
          type="warning"
          showIcon
          className="setting-notice"
          title={t(($) => $.drifted, { count: drifted })}
        />
      )}
    </>
  );
};
