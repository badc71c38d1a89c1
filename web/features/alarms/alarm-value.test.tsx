import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { alarmCatalogue, valueTypes } from '#contract/alarm-catalogue.ts';
import { alarmUnit } from '#contract/alarm-units.ts';
import { type Language, languages } from '#contract/languages.ts';
import { formatsOf } from '#web/i18n/format.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { AlarmValue } from './AlarmValue.tsx';

afterEach(cleanup);
const files = import.meta.glob<Record<string, object>>('../../{parts,features/alarms}/words/*.ts', {
  eager: true,
});
const wordsOf = (language: Language): Record<string, object> =>
  Object.assign(
    {},
    ...Object.entries(files).flatMap(([file, words]) => (file.includes(language) ? [words] : [])),
  );

describe.each(languages)('in %s', (language) => {
  test('value and threshold of each type have one unit and the digits of the instrument; a state has neither', async () => {
    await setStage({ language, words: wordsOf(language), replies: {} });
    expect(alarmCatalogue).toHaveLength(44);
    showAt(
      <ul>
        {alarmCatalogue.map(({ code, valueType }) => (
          <li key={code} id={`type-${code}`}>
            <AlarmValue
              row={{
                typeNumber: code,
                value_type: valueType,
                unit: alarmUnit({ typeNumber: code, value_type: valueType }).unit,
                value: 12.3456,
                threshold: 0.9,
              }}
            />
          </li>
        ))}
      </ul>,
    );
    await screen.findAllByRole('listitem');
    const { number } = formatsOf(language);
    for (const { code, valueType } of alarmCatalogue) {
      const { decimals } = alarmUnit({ typeNumber: code, value_type: valueType });
      const item = document.getElementById(`type-${code}`)!;
      const units = [...item.querySelectorAll('.quantity')].map(
        (each) => each.querySelector('.unit')?.textContent ?? '',
      );
      const isState = valueType === valueTypes.state;
      expect({ code, units: new Set(units).size, shown: units.length }).toEqual({
        code,
        units: isState ? 0 : 1,
        shown: isState ? 0 : 2,
      });
      if (isState) continue;
      const [value, threshold] = [...item.querySelectorAll('.quantity')].map(
        ({ textContent }) => textContent,
      );
      expect(value).toContain(number(12.3456, decimals));
      expect(threshold).toContain(number(0.9, decimals));
    }
  });

  test('a power and its threshold are both in kilowatts as soon as one of them is large', async () => {
    await setStage({ language, words: wordsOf(language), replies: {} });
    showAt(
      <AlarmValue
        row={{ typeNumber: 202, value_type: valueTypes.watt, unit: 'W', value: 9_500, threshold: 12_000 }}
      />,
    );
    const kilowatt = { 'zh-CN': 'kW', 'en-US': 'kW', 'ru-RU': 'кВт' }[language];
    const { number } = formatsOf(language);
    await screen.findByText(kilowatt, { selector: '.soft .unit' });
    expect([...document.querySelectorAll('.quantity')].map(({ textContent }) => textContent)).toEqual([
      `${number(9.5, 1)}${kilowatt}`,
      `${number(12, 1)}${kilowatt}`,
    ]);
  });
});
