import { expect, it } from 'vitest';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { alarmNames } from '#contract/alarm-names.ts';
import { trendCodes } from '#contract/alarm-traits.ts';
import { scenes } from '#simulator/scenes.ts';
import { demo as english } from '#web/features/demo/words/en-US.ts';
import { demo as russian } from '#web/features/demo/words/ru-RU.ts';
import { demo as chinese } from '#web/features/demo/words/zh-CN.ts';

it.each(Object.entries({ english, russian, chinese }))(
  'exactly the scenes have a name and an explanation in %s',
  (_, { scene }) => {
    expect(Object.keys(scene).sort()).toEqual(scenes.map(({ id }) => id).sort());
  },
);

it('every alarm code of a scene has a name in every language', () => {
  const nameless = scenes.flatMap(({ id, codes }) =>
    Object.entries(alarmNames).flatMap(([language, names]) =>
      codes.filter((code) => !names[code]).map((code) => `${id}: ${code} in ${language}`),
    ),
  );
  expect(nameless).toEqual([]);
});

it('every alarm type has a scene, unless it takes weeks', () => {
  const shown = scenes.flatMap(({ codes }) => codes);
  const ofWeeks: readonly number[] = [...trendCodes, alarmCodes.energyQuota, alarmCodes.expiring];
  expect(Object.values(alarmCodes).filter((code) => !shown.includes(code))).toEqual(
    ofWeeks.toSorted((a, b) => a - b),
  );
});
