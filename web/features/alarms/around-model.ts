import { commandVerbs } from '#contract/telemetry.ts';
import type { Limit, Mark, TimeModel } from '#web/parts/chart/model.ts';
import { usualStep } from '#web/parts/chart/sample.ts';
import type { AlarmDetailed } from './alarms.query.ts';

/** Alarm steps that are marked in its chart, besides its beginning and its end. */
const marked = ['escalated', 'tripped', 'normal', 'reset', 'handled'] as const;

interface AroundWords {
  unit: string;
  channel: string;
  event: string;
  early: string;
  alarm: string;
  step: (kind: (typeof marked)[number] | 'raised' | 'cleared') => string;
  command: (action: (typeof commandVerbs)[number]) => string;
}

const limitsOf = ({ limits, threshold, level }: AlarmDetailed, words: AroundWords): Limit[] =>
  (['early', 'alarm'] as const).flatMap((tone) => {
    // The crossed limit is the one that applied then, whatever is set now.
    const crossed = (tone === 'alarm') === level >= 2 ? threshold : null;
    const limit = crossed ?? limits[tone];
    return limit === null ? [] : [{ name: words[tone], value: limit, tone }];
  });

/** The alarm's own marks come first: they keep their names if names overlap. */
const marksOf = (alarm: AlarmDetailed, words: AroundWords): Mark[] => [
  { at: Date.parse(alarm.time), name: words.step('raised'), tone: alarm.level >= 2 ? 'alarm' : 'early' },
  ...(alarm.cleared_time === null
    ? []
    : [{ at: Date.parse(alarm.cleared_time), name: words.step('cleared'), tone: 'good' as const }]),
  ...alarm.history.flatMap(({ kind, at }) => {
    const step = marked.find((each) => each === kind);
    return step ? [{ at: Date.parse(at), name: words.step(step) }] : [];
  }),
  ...alarm.commands.map(({ action, created_at }) => {
    const verb = commandVerbs.find((each) => each === action);
    return { at: Date.parse(created_at), name: verb ? words.command(verb) : action };
  }),
];

/** The readings around an alarm, with its limits, its own value, its steps and the commands. */
export const aroundModel = (alarm: AlarmDetailed, words: AroundWords): TimeModel => {
  const { around, value } = alarm;
  const readings = {
    key: 'value',
    name: words.channel,
    at: around.at,
    values: around.values,
    stepMs: around.bucket_s === null ? usualStep(around.at) : around.bucket_s * 1000,
  };
  const event = {
    key: 'event',
    name: words.event,
    at: [Date.parse(alarm.time)],
    values: [value],
    shape: 'point' as const,
    tone: alarm.level >= 2 ? ('alarm' as const) : ('early' as const),
  };
  return {
    panels: [
      {
        unit: words.unit,
        series: around.comparable && value !== null ? [readings, event] : [readings],
        limits: around.comparable ? limitsOf(alarm, words) : [],
        reachesLimits: true,
      },
    ],
    marks: marksOf(alarm, words),
  };
};
