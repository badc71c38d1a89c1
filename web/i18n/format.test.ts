import { expect, test } from 'vitest';
import { formatsOf } from './format.ts';

test.each([
  ['en-US', ['45 s', '5 min', '2.5 h']],
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

test.each([
  ['en-US', 'north, south'],
  ['zh-CN', 'north、south'],
  ['ru-RU', 'north, south'],
])('a list of names is separated as in %s', (language, expected) => {
  expect(formatsOf(language).list(['north', 'south'])).toBe(expected);
});

test.each([
  ['en-US', '2 Sep 2026 04:06:09', '22 Nov', 'just now', '38 s ago', '3 min ago', '2 h ago'],
  ['zh-CN', '2026/09/02 04:06:09', '11/22', '刚刚', '38秒前', '3分钟前', '2小时前'],
  ['ru-RU', '02.09.2026, 04:06:09', '22.11', 'только что', '38 с назад', '3 мин назад', '2 ч назад'],
])('times have one form, and units have no full stop, in %s', (language, full, day, ...ages) => {
  const { dateTime, dayMonth, ago } = formatsOf(language);
  const plain = (text: string) => text.replace(/\s/gu, ' ');
  expect(dateTime(new Date(2026, 8, 2, 4, 6, 9))).toBe(full);
  expect(dayMonth('2026-11-22')).toBe(day);
  expect([0, 38, 180, 7200].map((seconds) => plain(ago(seconds * 1000)))).toEqual(ages);
});

test.each([
  ['en-US', '\u22121,234.5', '\u221212.3%', '\u22125.25'],
  ['zh-CN', '\u22121,234.5', '\u221212.3%', '\u22125.25'],
  ['ru-RU', '\u22121 234,5', '\u221212,3 %', '\u22125,25'],
])('a negative number and a negative share have a minus sign, no hyphen, in %s', (language, ...expected) => {
  const { number, percent, short } = formatsOf(language);
  const plain = (text: string) => text.replace(/\s/gu, ' ');
  expect([number(-1234.5, 1), percent(-0.123), short(-5.25)].map(plain)).toEqual(expected);
});
