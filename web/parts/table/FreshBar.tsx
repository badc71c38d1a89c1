import { useTranslation } from 'react-i18next';

/** Announces new rows instead of inserting them under the pointer. */
export const FreshBar = ({ count, onShow }: { count: number; onShow: () => void }) => {
  const { t } = useTranslation('common');
  return (
    <button type="button" className="fresh-bar" onClick={onShow} aria-live="polite">
      {t(($) => $.table.fresh, { count })}
    </button>
  );
};
