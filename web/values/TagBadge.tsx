import { useTranslation } from 'react-i18next';

/** A lock-out tag: a padlock, its word, why and whose. */
export const TagBadge = ({ reason, owner }: { reason: string; owner: string }) => {
  const { t } = useTranslation('common');
  return (
    <span className="tag-badge">
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d="M4.5 7V5a3.5 3.5 0 0 1 7 0v2" />
        <rect x="3" y="7" width="10" height="7" rx="1" />
      </svg>
      <span>
        <strong>{t(($) => $.lockout)}</strong> {reason} · {owner}
      </span>
    </span>
  );
};
