import { useTranslation } from 'react-i18next';
import { languages } from '#contract/languages.ts';
import { setLanguage } from '#web/i18n/i18n.ts';
import { ownNames } from '#web/i18n/own-names.ts';

export const LanguageButtons = () => {
  const { t, i18n } = useTranslation('signIn');
  return (
    <fieldset className="door-languages">
      <legend className="out-of-sight">{t(($) => $.language)}</legend>
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          aria-pressed={i18n.language === language}
          onClick={() => void setLanguage(language)}
        >
          {ownNames[language]}
        </button>
      ))}
    </fieldset>
  );
};
