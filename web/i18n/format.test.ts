import { expect, test } from 'vitest';
import { formatsOf } from './format.ts';

test.each([
  ['en-US', ['45 sec', '5 min', '2.5 hr']],
  ['zh-CN', ['45秒', '5分钟', '2.5小时']],
  ['ru-RU', ['45 с', '5 мин', '2,5 ч']],
])('an interval is given in seconds, minutes or hours in %s', (language, expected) => {
  const { interval } = formatsOf(language);
  expect([45, 300, 9000].map((seconds) => interval(seconds).replace(/\s/gu, ' '))).toEqual(expected);
});

test.each([
  ['en-US', ': '],
  ['zh-CN', '：'],
  ['ru-RU', ': '],
])('a label ends with the colon of %s', (language, expected) => {
  expect(formatsOf(language).colon).toBe(expected);
});
