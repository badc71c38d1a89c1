import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { type Language, languages } from '#contract/languages.ts';
import { definitionOf, type SettingName, type SettingRow, settingNames } from '#contract/settings.ts';
import { formatsOf } from '#web/i18n/format.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { SettingEditor } from './SettingEditor.tsx';
import { SettingsTab } from './SettingsTab.tsx';
import type { system as Words } from './words/en-US.ts';

const files = import.meta.glob<Record<string, object>>(
  ['./words/*.ts', '../../parts/words/*.ts', '../../values/words/*.ts'],
  { eager: true },
);
const wordsOf = (language: Language): Record<string, object> =>
  Object.assign(
    {},
    ...Object.entries(files)
      .filter(([file]) => file.endsWith(`/${language}.ts`))
      .map(([, words]) => ('words' in words ? words['words'] : words)),
  );
const settingWords = (language: Language) => (wordsOf(language) as { system: typeof Words }).system.settings;
const own = (language: Language, name: SettingName) =>
  (settingWords(language).words as Record<string, { name: string; meaning: string } | undefined>)[
    name.replace('.', '_')
  ];

/** A setting in the server's form while it was never changed. */
const rowOf = (name: SettingName): SettingRow => {
  const definition = definitionOf(name);
  const isWhole = definition.kind === 'whole';
  return {
    ...{ name, kind: definition.kind, value: definition.default, default: definition.default },
    min: isWhole ? definition.min : null,
    max: isWhole || definition.kind === 'text' ? definition.max : null,
    unit: isWhole ? definition.unit : null,
    choices: definition.kind === 'choice' ? [...definition.choices] : null,
    ...{ variable: null, changed_at: null, changed_by: null },
  };
};
const stageIn = (language: Language, list = settingNames.map(rowOf)) =>
  setStage({
    language,
    words: wordsOf(language),
    permissions: ['installation.manage'],
    replies: {
      '/settings/list': { list },
      '/settings/history': { list: [] },
    },
  });
afterEach(cleanup);

describe.each(languages)('every setting of the contract, in %s', (language) => {
  test('every setting has its name, meaning and a button on the page, and no other setting has the same name', async () => {
    await stageIn(language);
    showAt(<SettingsTab />);
    for (const name of settingNames) {
      const words = own(language, name);
      expect(words, name).toEqual({
        name: expect.stringMatching(/\S/),
        meaning: expect.stringMatching(/\S/),
      });
      const item = (await screen.findByText(words!.name, { selector: 'strong' })).closest('li')!;
      expect(item.textContent).toContain(words!.meaning);
      const act = settingWords(language).changeNamed.replace('{{name}}', words!.name);
      expect(within(item).getByLabelText(act)).toBeTruthy();
    }
    expect(Object.keys(settingWords(language).words).sort()).toEqual(
      settingNames.map((name) => name.replace('.', '_')).sort(),
    );
  });

  test.each(settingNames)('%s has a field with its default and its range', async (name) => {
    await stageIn(language);
    const row = rowOf(name);
    const words = settingWords(language);
    showAt(<SettingEditor row={row} onClose={() => {}} />);
    const drawer = await screen.findByRole('dialog');
    const role = { flag: 'switch', choice: 'combobox', whole: 'spinbutton', text: 'textbox' }[row.kind];
    expect(within(drawer).getByRole(role)).toBeTruthy();
    const said = drawer.textContent ?? '';
    expect(said).toContain(own(language, name)!.meaning);
    const choiceWords = words.choice as Record<string, string | undefined>;
    for (const choice of row.choices ?? []) expect(choiceWords[choice], choice).toMatch(/\S/);
    const standard =
      typeof row.default === 'boolean'
        ? words[row.default ? 'on' : 'off']
        : (choiceWords[row.default] ?? (String(row.default) || words.none));
    expect(said).toContain(`${words.standard}${formatsOf(language).colon}${standard}`);
    if (row.kind === 'whole')
      expect(said).toContain(
        words.range.replace('{{min}}', String(row.min)).replace('{{max}}', String(row.max)),
      );
  });

  test('a setting that a variable of the server decides names it and cannot be changed', async () => {
    const value = 'https://t.example.org/{z}/{x}/{y}.png';
    await stageIn(language, [{ ...rowOf('map.tileUrl'), value, variable: 'MAP_TILE_URL' }]);
    showAt(<SettingsTab />);
    const item = (await screen.findByText(value)).closest('li')!;
    expect(item.textContent).toContain('MAP_TILE_URL');
    expect(within(item).getByRole<HTMLButtonElement>('button').disabled).toBe(true);
  });
});
