import { expect, test } from 'vitest';
import { deviceTabs, placeAt } from './device-tabs.ts';

test('an address from before the tabs had sections leads to the same section', () => {
  expect(placeAt('enables')).toEqual({ tab: 'settings', part: 'enables' });
  expect(placeAt('history')).toEqual({ tab: 'commands', part: 'history' });
  expect(placeAt('map')).toEqual({ tab: 'about', part: 'map' });
  expect(placeAt('tags')).toEqual({ tab: 'lines', part: 'tags' });
});

test('the name of a tab leads to its first section, and an unknown name to the lines', () => {
  for (const { key, parts } of deviceTabs) expect(placeAt(key)).toEqual({ tab: key, part: parts[0] });
  for (const unknown of [undefined, '', 'nonsense'])
    expect(placeAt(unknown)).toEqual({ tab: 'lines', part: 'lines' });
});

test('every section belongs to one tab', () => {
  const parts = deviceTabs.flatMap((tab): readonly string[] => tab.parts);
  expect(new Set(parts).size).toBe(parts.length);
});
