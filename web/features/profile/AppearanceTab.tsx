import { Form, Segmented, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { type Language, languages } from '#contract/languages.ts';
import { useFormats } from '#web/i18n/format.ts';
import { setLanguage } from '#web/i18n/i18n.ts';
import { ownNames } from '#web/i18n/own-names.ts';
import { changePrefs, type Theme, usePrefs } from '#web/theme/prefs.ts';

const percents = [100, 125, 150, 175, 200];

export const AppearanceTab = () => {
  const formats = useFormats();
  const { t, i18n } = useTranslation('profile');
  const { theme, density, textPercent } = usePrefs();
  const pickLanguage = (language: Language) => {
    void setLanguage(language);
    changePrefs({ language });
  };
  return (
    <Form layout="vertical" component="div">
      <Form.Item label={t(($) => $.appearance.language)} htmlFor="pick-language">
        <Select
          id="pick-language"
          value={i18n.language as Language}
          onChange={pickLanguage}
          options={languages.map((language) => ({ value: language, label: ownNames[language] }))}
        />
      </Form.Item>
      <Form.Item label={t(($) => $.appearance.theme)}>
        <Segmented<Theme>
          value={theme}
          onChange={(value) => changePrefs({ theme: value })}
          options={[
            { value: 'system', label: t(($) => $.appearance.system) },
            { value: 'light', label: t(($) => $.appearance.light) },
            { value: 'dark', label: t(($) => $.appearance.dark) },
          ]}
        />
      </Form.Item>
      <Form.Item label={t(($) => $.appearance.density)}>
        <Segmented<'dense' | 'comfortable'>
          value={density}
          onChange={(value) => changePrefs({ density: value })}
          options={[
            { value: 'dense', label: t(($) => $.appearance.dense) },
            { value: 'comfortable', label: t(($) => $.appearance.comfortable) },
          ]}
        />
      </Form.Item>
      <Form.Item label={t(($) => $.appearance.textSize)} extra={t(($) => $.appearance.textSizeWhy)}>
        <Segmented<number>
          value={textPercent}
          onChange={(value) => changePrefs({ text_size: value })}
          options={percents.map((percent) => ({ value: percent, label: formats.percent(percent / 100) }))}
        />
      </Form.Item>
    </Form>
  );
};
