/** The errors that the form of a correction shows for impossible energy. */
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { CorrectDrawer } from './CorrectDrawer.tsx';

const files = {
  ...import.meta.glob<Record<string, object>>('./words/*.ts', { eager: true }),
  ...import.meta.glob<Record<string, object>>('../../parts/words/*.ts', { eager: true }),
};
const wordsIn = (language: Language): Record<string, object> =>
  Object.assign(
    {},
    ...Object.entries(files).flatMap(([file, words]) => (file.includes(language) ? [words] : [])),
  );
afterEach(cleanup);

const path = '/statistics/correct';
const what = { line_id: 7, from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z', kwh: 24 };
const drawerAfter = async (language: Language, value: string) => {
  const fields = { kwh: sentence('energy.capacity', language, { limit: 221 }) };
  const refusal = { refused: true, status: 422, code: 422, msg: 'marked', data: fields };
  const stage = await setStage({ language, words: wordsIn(language), replies: { [path]: refusal } });
  showAt(<CorrectDrawer what={what} timeZone="Asia/Shanghai" onClose={() => {}} />);
  const drawer = within(await screen.findByRole('dialog'));
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const [amount, reason] = [drawer.getByRole('spinbutton'), drawer.getByRole('textbox')];
  await user.type(amount, value);
  await user.type(reason, 'The meter was tested');
  await user.click(drawer.getAllByRole('button').at(-1)!);
  return { drawer, stage };
};

test.each(languages)('energy below zero is marked at its field and not sent, in %s', async (language) => {
  const { drawer, stage } = await drawerAfter(language, '-1');
  expect(await drawer.findByText(sentence('energy.negative', language))).toBeTruthy();
  expect(stage.sent(path)).toEqual([]);
});

test.each(languages)(
  'energy above what the line can carry is marked at its field, in %s',
  async (language) => {
    const { drawer, stage } = await drawerAfter(language, '9000');
    expect(await drawer.findByText(sentence('energy.capacity', language, { limit: 221 }))).toBeTruthy();
    expect(stage.sent(path)).toHaveLength(1);
  },
);
