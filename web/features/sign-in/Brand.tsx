import { useTranslation } from 'react-i18next';

/** A single-line diagram as the logo: incoming line, board, three lines, one of them open. */
export const Brand = () => {
  const { t } = useTranslation('signIn');
  return (
    <header className="door-brand">
      <p className="door-name">
        <img src="/favicon.svg" alt="" width="32" height="32" />
        Ampwatch
      </p>
      <p className="door-line">{t(($) => $.promise)}</p>
      <svg viewBox="0 0 320 200" aria-hidden="true" className="door-diagram">
        <path d="M160 0V46M40 46H280M60 46V86M60 112V170M160 46V86M160 112V170M260 46V86M260 112V170" />
        <path d="M60 112V86M160 112V86M260 112L276 89" />
        <circle cx="60" cy="112" r="3" />
        <circle cx="60" cy="86" r="3" />
        <circle cx="160" cy="112" r="3" />
        <circle cx="160" cy="86" r="3" />
        <circle cx="260" cy="112" r="3" />
        <circle cx="260" cy="86" r="3" />
        <path d="M48 170H72L60 188ZM148 170H172L160 188ZM248 170H272L260 188Z" />
      </svg>
    </header>
  );
};
