import { expect, test } from 'vitest';
import type * as z from 'zod';
import { endpoints } from '#contract/endpoints.ts';
import { faults, sentence } from '#contract/faults/codes.ts';
import { issueMessages, messageOf } from '#contract/faults/issues.ts';
import { languages } from '#contract/languages.ts';
import { noticeEndpoints } from '#contract/notices.ts';

/** Invalid values that provoke every kind of field error. */
const nonsense = [
  undefined,
  null,
  '',
  'x',
  'x'.repeat(1_000_000),
  '99999999999999999999',
  -1,
  0.5,
  1e15,
  true,
  [],
  [{}],
  {},
  Number.NaN,
];
const fieldsOf = (body: z.ZodType): string[] => {
  const shape = (body as { shape?: object }).shape ?? (body as { in?: { shape?: object } }).in?.shape ?? {};
  return [...Object.keys(shape), 'no_such_field'];
};

test.each(languages)('every field error is reported in %s, by a sentence of this project', (language) => {
  const sentences = Object.values(faults).map(
    (entry) =>
      new RegExp(`^${entry[language].replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[-.\\d]+')}$`),
  );
  const messages = new Set<string>();
  for (const { body } of endpoints) {
    const given = [{}, ...fieldsOf(body).flatMap((field) => nonsense.map((value) => ({ [field]: value })))];
    for (const one of given) {
      const parsed = body.safeParse(one, { error: issueMessages(language) });
      for (const issue of parsed.error?.issues ?? []) messages.add(messageOf(issue, language));
    }
  }
  expect(messages.size).toBeGreaterThan(20);
  expect([...messages].filter((text) => !sentences.some((sentence) => sentence.test(text)))).toEqual([]);
});

test.each(languages)(
  'an invalid number and a number that is not among the choices have separate sentences in %s',
  (language) => {
    const said = (body: object, field: string) =>
      noticeEndpoints.add.body
        .safeParse(body, { error: issueMessages(language) })
        .error?.issues.find(({ path }) => path[0] === field)?.message;
    expect(said({ silence_minutes: 25 }, 'silence_minutes')).toBe(sentence('field.choice', language));
    expect(said({ silence_minutes: 'often' }, 'silence_minutes')).toBe(sentence('field.number', language));
    expect(said({ silence_minutes: 1.5 }, 'silence_minutes')).toBe(sentence('field.number', language));
  },
);
