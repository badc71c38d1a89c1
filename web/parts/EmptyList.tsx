import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** In place of a list without rows: that the filter matches none, with its reset, or why there are none yet. */
export const EmptyList = ({
  filtered = false,
  onResetFilters,
  children,
}: {
  filtered?: boolean | undefined;
  onResetFilters?: (() => void) | undefined;
  children: ReactNode;
}) => {
  const { t } = useTranslation('common');
  if (!filtered) return <div className="empty-notice">{children}</div>;
  return (
    <div className="empty-notice">
      <p>{t(($) => $.table.nothing)}</p>
      {onResetFilters && (
        <button type="button" className="text-button" onClick={onResetFilters}>
          {t(($) => $.table.resetFilters)}
        </button>
      )}
    </div>
  );
};
