import fc from 'fast-check';
import type { Conductor, Fact, Habits, Loss, Obedience, Phase } from './device.ts';

/**
 * One device, its environment, and the acts of operators: plain data, so that a counter-example can be
 * printed.
 */
export interface History {
  habits: Habits;
  phases: 1 | 3;
  lines: HistoryLine[];
  /** Error of the device's clock at the start, ms. */
  clockOff: number;
  /** The operator gave the password long ago, and does not give it now. */
  oldSession: boolean;
  steps: Step[];
}
interface HistoryLine {
  /** Position at the start. */
  contact: 0 | 1;
  /** Current of each phase while closed, A. */
  load: number;
  rated?: number;
  /** For a three-phase line: the neutral is switched too. */
  switchesNeutral?: boolean;
  /** Its load must not be switched off by mistake: a fire pump, an emergency light. */
  critical?: boolean;
}
type Verb = 'open' | 'close';
/** The text typed as the name of a critical line. */
type Typed = 'right' | 'wrong' | 'nothing';
/** A condition that forbids closing. */
export type Forbidding =
  | { by: 'alarm'; code: number }
  /** The trip is 301 if no code is given. */
  | { by: 'trip'; code?: number }
  | { by: 'lock' }
  | { by: 'supply'; volts: number }
  | { by: 'tag'; on: 'line' | 'device' | 'project' }
  | { by: 'control' }
  | { by: 'rights' }
  | { by: 'binding' };
export type Deed =
  | { do: 'switch'; verb: Verb; line: number; way: 'button' | 'oneKey' | 'timer' }
  /**
   * Acts that may interrupt a line. `chief`: by an administrator, who may interrupt a critical line by typing
   * its name.
   */
  | {
      do: 'interrupt';
      verb: 'open' | 'leak_test' | 'selftest' | 'reboot';
      line: number;
      by: 'operator' | 'chief';
      typed: Typed;
    }
  /** Acts that move no contact. */
  | { do: 'ask'; verb: 'silence' | 'identify' | 'read' | 'clear_energy'; line: number }
  | { do: 'weld'; line: number; poles: Conductor[] }
  | { do: 'phase'; line: number; phase: Phase; volts: number }
  | { do: 'neutral'; line: number; of: 'harmonics' | 'borrowed'; amperes: number }
  | { do: 'blind'; line: number; conductor: Conductor; how: Loss }
  | { do: 'reset'; line: number }
  | { do: 'forbid'; line: number; what: Forbidding }
  | { do: 'permit'; line: number; what: Forbidding }
  /** A close and a condition that forbids it, this many milliseconds apart in real time. */
  | { do: 'race'; line: number; what: Forbidding; gap: number; way: 'button' | 'oneKey' }
  | { do: 'lose'; line: number; fact: Fact; how: Loss }
  | { do: 'find'; line: number; fact: Fact }
  | { do: 'value'; line: number; of: 'leakage' | 'terminal' | 'cable' | 'volts'; value: number }
  | { do: 'wrong'; line: number; channel: string; value: number | null | string }
  | { do: 'right'; line: number }
  | { do: 'clock'; ms: number }
  | { do: 'clockTo'; year: number }
  | { do: 'silent'; seconds: number }
  | { do: 'cut'; seconds: number }
  | { do: 'restart' }
  /** Other equipment gets the number and a new secret; it connects after some seconds, perhaps without some fact. */
  | { do: 'replace'; contact: 0 | 1; clockOff: number; away: number; lost: Partial<Record<Fact, Loss>> }
  | { do: 'hand'; line: number; to: 0 | 1 }
  /** From now on the reports contain this position, whether it is true or not. */
  | { do: 'claim'; line: number; position: 0 | 1 }
  | { do: 'timeSync'; t: number | null }
  /** Settings that may energise a line later. */
  | { do: 'enable'; key: string }
  | { do: 'custom'; custom: Record<string, unknown> }
  | { do: 'deviceTimer'; line: number; minutes: number; verb: Verb }
  | { do: 'handle' }
  | { do: 'shelve' }
  /** A user inspects a line, and records the kind of work. */
  | { do: 'inspect'; line: number; kind: 'inspection' | 'repair' | 'routine' };
/** `at`: seconds since the start. */
export type Step = Deed & { at: number };

export const settlingSeconds = 4;
const last = 40;

const obediences: Obedience[] = ['obeys', 'refuses', 'welded', 'lies', 'bounces', 'deaf', 'mute', 'restarts'];
const habits: fc.Arbitrary<Habits> = fc.record({
  obedience: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Obedience>('obeys') },
    { weight: 8, arbitrary: fc.constantFrom(...obediences.slice(1)) },
  ),
  answersAfter: fc.constantFrom(0, 0, 1, 3, 8),
  movesAfter: fc.constantFrom(0, 0, 1, 2),
  every: fc.constantFrom(5, 5, 5, 2),
  reportsMoves: fc.boolean(),
  sendsMoves: fc.boolean(),
  doubles: fc.constantFrom(false, false, false, true),
  reorders: fc.constantFrom(false, false, false, false, true),
  countsApart: fc.constantFrom(false, false, false, true),
  bounceAfter: fc.integer({ min: 1, max: 30 }),
  shows: fc.constantFrom<'both' | 'power'>('both', 'both', 'both', 'power'),
});
const lines = fc.array(
  fc.record({
    contact: fc.constantFrom<0 | 1>(0, 1),
    load: fc.constantFrom(2, 5, 12),
    switchesNeutral: fc.boolean(),
    critical: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 2 },
);
const phases = fc.constantFrom<1 | 3>(1, 1, 3);
const clockOff = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constantFrom(-40_000, -4000, 4000, 40_000, -300_000, 300_000, 3_600_000) },
);

const line = fc.constantFrom(0, 0, 1);
const verb = fc.constantFrom<Verb>('open', 'close', 'close');
const way = fc.constantFrom('button', 'button', 'button', 'oneKey', 'timer') satisfies fc.Arbitrary<
  'button' | 'oneKey' | 'timer'
>;
const forbidding: fc.Arbitrary<Forbidding> = fc.oneof(
  fc.record({ by: fc.constant('alarm' as const), code: fc.constantFrom(205, 301, 401, 402) }),
  fc.record({ by: fc.constant('trip' as const) }),
  fc.record({ by: fc.constant('lock' as const) }),
  fc.record({ by: fc.constant('supply' as const), volts: fc.constantFrom(150, 290) }),
  fc.record({
    by: fc.constant('tag' as const),
    on: fc.constantFrom<'line' | 'device' | 'project'>('line', 'device', 'project'),
  }),
  fc.record({ by: fc.constant('control' as const) }),
);
const drastic: fc.Arbitrary<Forbidding> = fc.oneof(
  fc.record({ by: fc.constant('rights' as const) }),
  fc.record({ by: fc.constant('binding' as const) }),
);
const conductor = fc.constantFrom<Conductor>('a', 'b', 'c', 'n', 'n');
const loss = fc.constantFrom<Loss>('null', 'missing');
const poles = fc.constantFrom<Conductor[]>(['a'], ['c'], ['a', 'b'], ['b', 'n'], ['n']);
const interruption = fc.record({
  do: fc.constant('interrupt' as const),
  verb: fc.constantFrom<'open' | 'leak_test' | 'selftest' | 'reboot'>(
    'open',
    'open',
    'leak_test',
    'selftest',
    'reboot',
  ),
  line,
  by: fc.constantFrom<'operator' | 'chief'>('operator', 'chief', 'chief'),
  typed: fc.constantFrom<Typed>('right', 'right', 'wrong', 'nothing'),
});
/** Every verb that a switch accepts, as an operator asks for it. */
const anyVerb = fc.oneof<fc.WeightedArbitrary<Deed>[]>(
  {
    weight: 4,
    arbitrary: fc.constantFrom<Deed>(
      { do: 'switch', verb: 'open', line: 0, way: 'button' },
      { do: 'switch', verb: 'open', line: 0, way: 'oneKey' },
      { do: 'switch', verb: 'close', line: 0, way: 'button' },
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom<'leak_test' | 'selftest' | 'reboot'>('leak_test', 'leak_test', 'selftest', 'reboot')
      .map((of): Deed => ({ do: 'interrupt', verb: of, line: 0, by: 'chief', typed: 'right' })),
  },
  { weight: 1, arbitrary: fc.constant<Deed>({ do: 'reset', line: 0 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<'silence' | 'identify' | 'read' | 'clear_energy'>(
        'silence',
        'identify',
        'read',
        'clear_energy',
      )
      .map((of): Deed => ({ do: 'ask', verb: of, line: 0 })),
  },
);
/** A single-phase device uses only its own conductor. */
const conductors: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant('weld' as const), line, poles }),
  fc.record({
    do: fc.constant('phase' as const),
    line,
    phase: fc.constantFrom<Phase>('a', 'b', 'c'),
    volts: fc.constantFrom(20, 100, 160, 220, 290),
  }),
  fc.record({
    do: fc.constant('neutral' as const),
    line,
    of: fc.constantFrom<'harmonics' | 'borrowed'>('harmonics', 'borrowed'),
    amperes: fc.constantFrom(0, 8, 55),
  }),
  fc.record({ do: fc.constant('blind' as const), line, conductor, how: loss }),
);
const fact = fc.constantFrom<Fact>('sw', 'sw', 'trip', 'lock');
const wrong = fc.oneof(
  fc.record({ channel: fc.constant('T'), value: fc.constantFrom(160, 327.67, -50) }),
  fc.record({ channel: fc.constant('IL'), value: fc.constantFrom(3000, 1e308, -1) }),
  fc.record({ channel: fc.constant('U'), value: fc.constantFrom(510, 6553.5) }),
);
const replacement = fc.record({
  do: fc.constant('replace' as const),
  contact: fc.constantFrom<0 | 1>(0, 1),
  clockOff: fc.constantFrom(0, 0, 40_000, -40_000, 100_000, -100_000),
  away: fc.integer({ min: 0, max: 6 }),
  lost: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Partial<Record<Fact, Loss>>>({}) },
    { weight: 1, arbitrary: fc.tuple(fact, loss).map(([of, how]) => ({ [of]: how })) },
  ),
});
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: interruption },
  { weight: 4, arbitrary: conductors },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('switch' as const), verb, line, way }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('forbid' as const), line, what: forbidding }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forbid' as const), line, what: drastic }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('permit' as const), line, what: forbidding }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('race' as const),
      line,
      what: fc.oneof({ weight: 5, arbitrary: forbidding }, { weight: 1, arbitrary: drastic }),
      gap: fc.integer({ min: 0, max: 40 }),
      way: fc.constantFrom<'button' | 'oneKey'>('button', 'button', 'oneKey'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), line }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('lose' as const),
      line,
      fact,
      how: fc.constantFrom<Loss>('null', 'missing'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('find' as const), line, fact }) },
  {
    weight: 2,
    arbitrary: fc.tuple(line, wrong).map(([of, given]) => ({ do: 'wrong' as const, line: of, ...given })),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('right' as const), line }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      ms: fc.constantFrom(-4000, -40_000, 4000, 40_000, 300_000, -300_000, -3_600_000, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('clockTo' as const), year: fc.constantFrom(1970, 2021, 2040) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('silent' as const), seconds: fc.integer({ min: 5, max: 25 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('cut' as const), seconds: fc.integer({ min: 1, max: 15 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: replacement },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('timeSync' as const),
      t: fc.constantFrom(null, 1_900_000_000_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('enable' as const),
      key: fc.constantFrom('auto_reclose', 'timer_en', 'buzzer'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('custom' as const),
      custom: fc.constantFrom<Record<string, unknown>>(
        { mode: 1 },
        { cmd: 'close', n: 1 },
        { auto_reclose: true },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('deviceTimer' as const),
      line,
      minutes: fc.constantFrom(1, 60),
      verb,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom<'handle' | 'shelve'>('handle', 'shelve') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('hand' as const), line, to: fc.constantFrom<0 | 1>(0, 1) }),
  },
);
const inspection = fc.record({
  do: fc.constant('inspect' as const),
  line,
  kind: fc.constantFrom<'inspection' | 'repair' | 'routine'>('inspection', 'inspection', 'repair', 'routine'),
});
const second = fc.integer({ min: settlingSeconds, max: last });
const inOrder = (steps: readonly Step[]): Step[] => steps.toSorted((a, b) => a.at - b.at);
const anyStep = fc.tuple(second, deed).map(([at, what]): Step => ({ at, ...what }));

/** A sequence that has failed before, at some point of a history; the rest of the history is random. */
interface Course {
  clockOff?: number;
  oldSession?: boolean;
  habits?: Partial<Habits>;
  phases?: 1 | 3;
  lines?: HistoryLine[];
  steps: Step[];
}
const begin = fc.integer({ min: settlingSeconds, max: 20 });
const after = (most: number) => fc.integer({ min: 1, max: most });
const openLine = [{ contact: 0 as const, load: 5 }];
const closedLine = [{ contact: 1 as const, load: 5 }];
const courses: Record<string, fc.Arbitrary<Course>> = {
  /** Only switching. */
  plain: fc.record({
    steps: fc.tuple(begin, verb, way, after(10), verb).map(([at, first, by, gap, second]): Step[] => [
      { at, do: 'switch', verb: first, line: 0, way: by },
      { at: at + gap, do: 'switch', verb: second, line: 0, way: 'button' },
    ]),
  }),
  /** The position sensor fails, the contact moves unnoticed, and the old position is requested. */
  lostPosition: fc
    .tuple(begin, fc.constantFrom<Loss>('null', 'missing'), after(3), after(8), fc.constantFrom<0 | 1>(0, 1))
    .map(
      ([at, how, moved, asked, contact]): Course => ({
        habits: { obedience: 'welded', sendsMoves: false },
        lines: [{ contact, load: 0 }],
        steps: [
          { at, do: 'lose', line: 0, fact: 'sw', how },
          { at: at + moved, do: 'hand', line: 0, to: contact === 1 ? 0 : 1 },
          { at: at + asked, do: 'switch', verb: contact === 1 ? 'close' : 'open', line: 0, way: 'button' },
        ],
      }),
    ),
  /** One value is out of range in the message that carries a trip or a lock. */
  wrongValue: fc.tuple(begin, wrong, fc.constantFrom<'trip' | 'lock'>('trip', 'lock'), after(9)).map(
    ([at, given, by, asked]): Course => ({
      lines: openLine,
      steps: [
        { at, do: 'wrong', line: 0, ...given },
        { at, do: 'forbid', line: 0, what: { by } },
        { at: at + asked, do: 'switch', verb: 'close', line: 0, way: 'button' },
      ],
    }),
  ),
  /** The clock steps back, then a condition forbids closing. */
  clockStep: fc
    .tuple(
      begin,
      fc.constantFrom(-4000, -40_000, -3_600_000, -86_400_000 * 400, 86_400_000 * 4000),
      after(4),
      fc.oneof(
        fc.record({ by: fc.constant('alarm' as const), code: fc.constantFrom(301, 401) }),
        fc.record({ by: fc.constantFrom<'trip' | 'lock'>('trip', 'lock') }),
      ),
      after(4),
    )
    .map(
      ([at, ms, forbidden, what, asked]): Course => ({
        habits: { obedience: 'obeys', every: 2 },
        lines: openLine,
        steps: [
          { at, do: 'clock', ms },
          { at: at + forbidden, do: 'forbid', line: 0, what },
          { at: at + forbidden + asked, do: 'switch', verb: 'close', line: 0, way: 'button' },
        ],
      }),
    ),
  /** A close and a condition that forbids it occur at the same time. */
  race: fc
    .tuple(
      begin,
      fc.oneof({ weight: 6, arbitrary: forbidding }, { weight: 1, arbitrary: drastic }),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom<'button' | 'oneKey'>('button', 'button', 'oneKey'),
    )
    .map(
      ([at, what, gap, by]): Course => ({
        habits: { obedience: 'obeys' },
        lines: openLine,
        steps: [{ at, do: 'race', line: 0, what, gap, way: by }],
      }),
    ),
  /** A line carries current and reports open, or no position; one-key should open it. */
  carries: fc.tuple(begin, fc.constantFrom<Loss | 'lies'>('null', 'missing', 'lies'), after(12)).map(
    ([at, how, asked]): Course => ({
      habits: { obedience: 'obeys' },
      lines: closedLine,
      steps: [
        how === 'lies'
          ? { at, do: 'claim', line: 0, position: 0 }
          : { at, do: 'lose', line: 0, fact: 'sw', how },
        { at: at + asked, do: 'switch', verb: 'open', line: 0, way: 'oneKey' },
      ],
    }),
  ),
  /** A close, then a verified open, then the contact closes by itself. */
  bounce: fc.tuple(begin, fc.integer({ min: 4, max: 15 }), fc.integer({ min: 3, max: 14 })).map(
    ([at, opened, bounceAfter]): Course => ({
      habits: { obedience: 'obeys', reportsMoves: true },
      lines: openLine,
      steps: [
        { at, do: 'switch', verb: 'close', line: 0, way: 'button' },
        { at: at + opened, do: 'switch', verb: 'open', line: 0, way: 'button' },
        { at: at + opened + bounceAfter, do: 'hand', line: 0, to: 1 },
      ],
    }),
  ),
  /** The operator's session is old, and a close is requested without the password. */
  oldSession: fc
    .tuple(begin, fc.constantFrom<'button' | 'oneKey' | 'timer'>('button', 'oneKey', 'timer'))
    .map(
      ([at, by]): Course => ({
        habits: { obedience: 'obeys' },
        oldSession: true,
        lines: openLine,
        steps: [{ at, do: 'switch', verb: 'close', line: 0, way: by }],
      }),
    ),
  /** The device reports open although current, or power alone, shows that it is closed. */
  contradiction: fc
    .tuple(
      begin,
      fc.constantFrom<'both' | 'power'>('both', 'power'),
      fc.constantFrom(40, 630),
      fc.constantFrom(3, 12),
    )
    .map(
      ([at, shows, rated, load]): Course => ({
        habits: { obedience: 'lies', shows },
        lines: [{ contact: 1, load, rated }],
        steps: [{ at, do: 'switch', verb: 'open', line: 0, way: 'button' }],
      }),
    ),
  /** The device's clock is wrong, and this is known. */
  wrongClock: fc.tuple(fc.constantFrom(-300_000, -40_000, -20_000, 20_000, 40_000, 300_000), verb).map(
    ([off, asked]): Course => ({
      habits: { obedience: 'obeys', every: 2, reorders: false },
      clockOff: off,
      lines: [{ contact: asked === 'open' ? 1 : 0, load: 5 }],
      steps: [{ at: 25, do: 'switch', verb: asked, line: 0, way: 'button' }],
    }),
  ),
  /** Under a tag a setting is requested that may close a line later. */
  settingUnderTag: fc
    .tuple(
      begin,
      fc.constantFrom<'line' | 'device' | 'project'>('line', 'device', 'project'),
      after(6),
      fc.constantFrom<Deed>(
        { do: 'enable', key: 'auto_reclose' },
        { do: 'enable', key: 'timer_en' },
        { do: 'deviceTimer', line: 0, minutes: 60, verb: 'close' },
        { do: 'switch', verb: 'close', line: 0, way: 'timer' },
        { do: 'switch', verb: 'close', line: 0, way: 'oneKey' },
        { do: 'timeSync', t: 1_900_000_000_000 },
      ),
    )
    .map(
      ([at, on, gap, what]): Course => ({
        lines: openLine,
        steps: [
          { at, do: 'forbid', line: 0, what: { by: 'tag', on } },
          { at: at + gap, ...what },
        ],
      }),
    ),
  /** A handled early warning becomes an alarm; or a handled alarm ends and returns. */
  handledThenWorse: fc.tuple(begin, fc.boolean(), fc.integer({ min: 12, max: 20 })).map(
    ([at, returns, held]): Course => ({
      habits: { every: 5 },
      phases: 1,
      lines: openLine,
      steps: [
        { at, do: 'value', line: 0, of: 'leakage', value: returns ? 50 : 20 },
        { at: at + held, do: 'handle' },
        ...(returns
          ? [
              { at: at + held + 2, do: 'value' as const, line: 0, of: 'leakage' as const, value: 3 },
              { at: at + held + 60, do: 'value' as const, line: 0, of: 'leakage' as const, value: 60 },
            ]
          : [{ at: at + held + 2, do: 'value' as const, line: 0, of: 'leakage' as const, value: 50 }]),
      ],
    }),
  ),
  /** Some poles no longer open, whatever is asked of the line. */
  weldedPoles: fc
    .tuple(begin, fc.constantFrom<1 | 3>(1, 3, 3), poles, fc.boolean(), after(6), anyVerb, anyVerb)
    .map(
      ([at, of, welded, switchesNeutral, asked, first, second]): Course => ({
        habits: { obedience: 'obeys', shows: 'both' },
        phases: of,
        lines: [{ contact: 1, load: 5, switchesNeutral }],
        steps: [
          { at, do: 'weld', line: 0, poles: of === 1 ? ['a'] : welded },
          { at: at + asked, ...first },
          { at: at + asked + 30, ...second },
        ],
      }),
    ),
  /** The neutral carries current that the phases do not, or is not measured, and the line is opened. */
  openNeutral: fc
    .tuple(begin, fc.boolean(), fc.constantFrom<Loss | 'borrowed'>('null', 'missing', 'borrowed'), after(6))
    .map(
      ([at, switchesNeutral, how, asked]): Course => ({
        habits: { obedience: 'obeys', shows: 'both' },
        phases: 3,
        lines: [{ contact: 1, load: 5, switchesNeutral }],
        steps: [
          how === 'borrowed'
            ? { at, do: 'neutral', line: 0, of: 'borrowed', amperes: 8 }
            : { at, do: 'blind', line: 0, conductor: 'n', how },
          { at: at + asked, do: 'switch', verb: 'open', line: 0, way: 'button' },
        ],
      }),
    ),
  /** Other equipment takes over the number before, while or after a line is switched. */
  takenOver: fc
    .tuple(
      begin,
      fc.constantFrom(0, 40_000, -40_000, 100_000),
      fc.constantFrom<0 | 1>(0, 1),
      replacement,
      fc.tuple(verb, after(6)),
      fc.array(fc.tuple(verb, way, after(8)), { minLength: 1, maxLength: 3 }),
    )
    .map(([at, clockOff, contact, replaced, [asked, gap], later]): Course => {
      const steps: Step[] = [
        { at, do: 'switch', verb: asked, line: 0, way: 'button' },
        { at: at + gap - 1, ...replaced },
      ];
      let next = at + gap - 1;
      for (const [of, by, pause] of later) {
        next += pause;
        steps.push({ at: next, do: 'switch', verb: of, line: 0, way: by });
      }
      return { clockOff, habits: { obedience: 'obeys', every: 2 }, lines: [{ contact, load: 5 }], steps };
    }),
  /** A phase is lost, or the star point floats, and the line is closed. */
  badPhase: fc
    .tuple(
      begin,
      fc.constantFrom<Phase>('a', 'b', 'c'),
      fc.constantFrom(20, 100, 160, 290),
      fc.integer({ min: 1, max: 15 }),
      fc.constantFrom<0 | 1>(0, 1),
    )
    .map(
      ([at, phase, volts, asked, contact]): Course => ({
        habits: { obedience: 'obeys', shows: 'both' },
        phases: 3,
        lines: [{ contact, load: 5 }],
        steps: [
          { at, do: 'phase', line: 0, phase, volts },
          { at: at + asked, do: 'switch', verb: 'close', line: 0, way: 'button' },
        ],
      }),
    ),
  /** Harmonics overload the neutral while the phases are not overloaded. */
  fullNeutral: fc.tuple(begin, fc.constantFrom(40, 55)).map(
    ([at, amperes]): Course => ({
      habits: { every: 5, shows: 'both', obedience: 'obeys' },
      phases: 3,
      lines: [{ contact: 1, load: 12, rated: 63 }],
      steps: [
        { at, do: 'neutral', line: 0, of: 'harmonics', amperes },
        { at: at + 30, do: 'right', line: 0 },
      ],
    }),
  ),
  /** Every kind of act on a critical line. */
  critical: fc
    .tuple(
      begin,
      fc.constantFrom<1 | 3>(1, 3),
      fc.array(
        fc.oneof<fc.WeightedArbitrary<Deed>[]>(
          { weight: 4, arbitrary: interruption },
          {
            weight: 1,
            arbitrary: fc.record({
              do: fc.constant('switch' as const),
              verb: fc.constant<Verb>('open'),
              line,
              way,
            }),
          },
          {
            weight: 1,
            arbitrary: fc.record({
              do: fc.constant('deviceTimer' as const),
              line,
              minutes: fc.constantFrom(1, 60),
              verb: fc.constant<Verb>('open'),
            }),
          },
        ),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(
      ([at, of, deeds]): Course => ({
        habits: { obedience: 'obeys' },
        phases: of,
        lines: [{ contact: 1, load: 5, critical: true }],
        steps: deeds.map((what, index) => ({ at: at + 6 * index, ...what })),
      }),
    ),
};
/** Courses in which a tripped line stays open until its inspection is recorded. */
const inspectedCourses: Record<string, fc.Arbitrary<Course>> = {
  /** A trip, its reset and its inspection in any order, with closes before, between and after them; perhaps another trip. */
  inspection: fc
    .tuple(
      begin,
      fc.array(
        fc.oneof<fc.WeightedArbitrary<Deed>[]>(
          { weight: 3, arbitrary: inspection },
          {
            weight: 3,
            arbitrary: fc.constant<Deed>({ do: 'permit', line: 0, what: { by: 'trip' } }),
          },
          { weight: 1, arbitrary: fc.constant<Deed>({ do: 'reset', line: 0 }) },
          { weight: 1, arbitrary: fc.constant<Deed>({ do: 'handle' }) },
          {
            weight: 2,
            arbitrary: fc.constantFrom(101, 301, 401).map(
              (code): Deed => ({
                do: 'forbid',
                line: 0,
                what: { by: 'trip', code },
              }),
            ),
          },
          {
            weight: 4,
            arbitrary: way.map((by): Deed => ({ do: 'switch', verb: 'close', line: 0, way: by })),
          },
          {
            weight: 1,
            arbitrary: fc.constant<Deed>({
              do: 'race',
              line: 0,
              what: { by: 'trip' },
              gap: 5,
              way: 'button',
            }),
          },
        ),
        { minLength: 3, maxLength: 8 },
      ),
      after(6),
      after(8),
    )
    .map(
      ([at, deeds, reset, closed]): Course => ({
        habits: { obedience: 'obeys', every: 2 },
        clockOff: 0,
        lines: [{ contact: 1, load: 5 }],
        steps: [
          { at, do: 'forbid', line: 0, what: { by: 'trip' } },
          { at: at + reset, do: 'permit', line: 0, what: { by: 'trip' } },
          ...deeds.map((what, index) => ({ at: at + 2 + 5 * index, ...what })),
          { at: at + 2 + 5 * deeds.length + closed, do: 'switch', verb: 'close', line: 0, way: 'button' },
        ],
      }),
    ),
};
const courseNames = ['random', ...Object.keys(courses), ...Object.keys(inspectedCourses)];
const noiseOf = (step: fc.Arbitrary<Step>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Step[]>([]) },
    { weight: 2, arbitrary: fc.array(step, { maxLength: 3 }) },
  );
const noise = noiseOf(anyStep);
const noiseWithInspections = noiseOf(
  fc.oneof(
    { weight: 2, arbitrary: anyStep },
    { weight: 1, arbitrary: fc.tuple(second, inspection).map(([at, what]): Step => ({ at, ...what })) },
  ),
);

/**
 * Any device and any acts, or only histories with this course. `inspected`: half of them concern inspections.
 */
export const historiesWith = (name: string | undefined, inspected: boolean): fc.Arbitrary<History> => {
  const usual: Record<string, fc.Arbitrary<Course>> = {
    random: fc.record({ steps: fc.array(anyStep, { minLength: 1, maxLength: 8 }) }),
    ...courses,
  };
  const all = { ...usual, ...inspectedCourses };
  const only = name === undefined ? undefined : all[name];
  if (name !== undefined && !only) throw new Error(`no course ${name}: ${courseNames.join(', ')}`);
  const any = fc.oneof(...Object.values(usual));
  const course = only ?? (inspected ? fc.oneof(any, ...Object.values(inspectedCourses)) : any);
  return fc
    .record({
      ...{ habits, phases, lines, clockOff, course },
      noise: inspected ? noiseWithInspections : noise,
    })
    .map(({ course: given, noise: more, ...history }) => ({
      ...history,
      habits: { ...history.habits, ...given.habits },
      phases: given.phases ?? history.phases,
      lines: given.lines ?? history.lines,
      clockOff: given.clockOff ?? history.clockOff,
      oldSession: given.oldSession ?? false,
      steps: inOrder([...given.steps, ...more]),
    }));
};
