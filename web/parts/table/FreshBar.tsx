import { useTranslation } from 'react-i18next';

/** Announces rows that came in, instead of pushing them under the cursor. */
export const FreshBar = ({ count, onShow }: { count: number; onShow: () => void }) => {
  const { t } = useTranslation('common');
  return (
    <button type="button" className="fresh-bar" onClick={onShow} aria-live="polite">
      {t(($) => $.table.fresh, { count })}
    </button>
  );
};
