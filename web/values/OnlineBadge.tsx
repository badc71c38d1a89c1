import { useTranslation } from 'react-i18next';

export const OnlineBadge = ({ online }: { online: boolean }) => {
  const { t } = useTranslation('common');
  return (
    <span className={`online-badge ${online ? 'is-online' : 'is-offline'}`}>
      <span className="online-mark" aria-hidden="true" />
      {t(($) => (online ? $.online : $.offline))}
    </span>
  );
};
