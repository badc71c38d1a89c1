/**
 * An independent and slow implementation of domain reference §2.2 and §3.2 rule 1, for tests. For every
 * sample it looks back over all samples before it; between samples it remembers only the active episode.
 */
export interface Sample {
  /** Device time, ms. */
  at: number;
  /** By channel name; a missing channel was not measured. */
  values: Readonly<Record<string, number>>;
}
export interface Rating {
  nominalVoltage: number;
  ratedCurrent: number;
  phases: readonly ('a' | 'b' | 'c')[];
}
export interface Episode {
  code: number;
  /** '' for a quantity of the whole line. */
  phase: string;
  raisedAt: number;
  /** When it became an alarm (level 2); null if it stayed an early warning. */
  alarmAt: number | null;
  clearedAt: number | null;
}
interface Rule {
  code: number;
  phase: string;
  /** NaN if the sample does not measure it. */
  value: (sample: Sample) => number;
  side: 'above' | 'below';
  warn: number;
  alarm: number;
  deadband: number;
  onMs: number;
  offMs: number;
  /** An alarm beyond this value stays until a reset, which no recording contains. */
  latch?: number;
}

const channelOf = ({ values }: Sample, channel: string) => values[channel] ?? Number.NaN;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
/** max |x − mean| / mean, per cent. Source: domain reference §7, 'Unbalance'. */
const unbalance = (numbers: readonly number[]) =>
  (100 * Math.max(...numbers.map((each) => Math.abs(each - mean(numbers))))) / mean(numbers);

/** The rows of §2.2 for the quantities of feeder recordings. */
export const rulesOf = ({ nominalVoltage: un, ratedCurrent, phases }: Rating): Rule[] => {
  const minute = 60_000;
  const ratedPower = phases.length * un * ratedCurrent;
  const ofPhases = (sample: Sample, quantity: string) =>
    phases.map((phase) => channelOf(sample, `${quantity}.${phase}`));
  const rules: Rule[] = phases.flatMap((channel): Rule[] => {
    const phase = phases.length > 1 ? channel : '';
    return [
      {
        code: 101,
        phase,
        value: (sample) => channelOf(sample, `U.${channel}`),
        side: 'above',
        warn: 1.07 * un,
        alarm: 1.2 * un,
        deadband: 0.02 * un,
        onMs: 10_000,
        offMs: 30_000,
      },
      {
        code: 102,
        phase,
        value: (sample) => channelOf(sample, `U.${channel}`),
        side: 'below',
        warn: 0.9 * un,
        alarm: 0.8 * un,
        deadband: 0.02 * un,
        onMs: 10_000,
        offMs: 30_000,
      },
      {
        code: 201,
        phase,
        value: (sample) => channelOf(sample, `I.${channel}`),
        side: 'above',
        warn: 0.9 * ratedCurrent,
        alarm: 1.1 * ratedCurrent,
        deadband: 0.05 * ratedCurrent,
        onMs: minute,
        offMs: minute,
      },
    ];
  });
  rules.push({
    code: 202,
    phase: '',
    value: (sample) => channelOf(sample, 'P.t'),
    side: 'above',
    warn: 0.9 * ratedPower,
    alarm: 1.1 * ratedPower,
    deadband: 0.05 * ratedPower,
    onMs: minute,
    offMs: minute,
  });
  if (phases.length === 3) {
    rules.push(
      {
        code: 105,
        phase: '',
        value: (sample) => unbalance(ofPhases(sample, 'U')),
        side: 'above',
        warn: 2,
        alarm: 4,
        deadband: 0.5,
        onMs: 10 * minute,
        offMs: 10 * minute,
      },
      {
        code: 203,
        phase: '',
        side: 'above',
        value: (sample) => {
          const currents = ofPhases(sample, 'I');
          return mean(currents) > 0.15 * ratedCurrent ? unbalance(currents) : 0;
        },
        warn: 50,
        alarm: 80,
        deadband: 5,
        onMs: 10 * minute,
        offMs: 5 * minute,
      },
      {
        code: 204,
        phase: 'n',
        value: (sample) => channelOf(sample, 'I.n'),
        side: 'above',
        warn: 0.6 * ratedCurrent,
        alarm: 0.8 * ratedCurrent,
        deadband: 0.05 * ratedCurrent,
        onMs: minute,
        offMs: minute,
        latch: 1.2 * ratedCurrent,
      },
      {
        code: 206,
        phase: '',
        side: 'below',
        value: (sample) =>
          channelOf(sample, 'P.t') > 0.1 * ratedPower ? 100 * channelOf(sample, 'PF.t') : 100,
        warn: 90,
        alarm: 85,
        deadband: 2,
        onMs: 15 * minute,
        offMs: 15 * minute,
      },
    );
  }
  return rules;
};

const hourMs = 3_600_000;

/**
 * A delay may be 5 % short, at most 2 s, because devices do not keep their interval exactly (decision 0010).
 */
const enough = (span: number, delayMs: number) => span >= delayMs - Math.min(0.05 * delayMs, 2000);

/**
 * All episodes of a rule over samples in order of time. Samples without the quantity are skipped. Exceeding
 * `limit` for the whole on-delay raises an alarm; values back past the early limit and its deadband for the
 * off-delay clear it. The third consecutive episode, each within an hour of the previous end, has four times
 * the off-delay for an hour (rule 3).
 */
export const episodesOf = (rule: Rule, samples: readonly Sample[]): Episode[] => {
  const measured = samples
    .map((sample) => ({ at: sample.at, value: rule.value(sample) }))
    .filter(({ value }) => !Number.isNaN(value));
  const sign = rule.side === 'above' ? 1 : -1;
  const beyond = (index: number, limit: number) => sign * (measured[index]!.value - limit) > 0;
  const back = (index: number) => sign * (measured[index]!.value - rule.warn) <= -rule.deadband;
  /**
   * Whether `holds` is true for all samples from one at or after `first` up to `index`, over the whole delay.
   */
  const lasts = (index: number, first: number, delayMs: number, holds: (index: number) => boolean) => {
    let from = index + 1;
    while (from > first && holds(from - 1)) from -= 1;
    return (
      from <= index &&
      enough(measured[index]!.at - measured[from]!.at, delayMs) &&
      (index > from || delayMs === 0)
    );
  };
  const episodes: Episode[] = [];
  let active: (Episode & { since: number }) | null = null;
  let from = 0;
  let isLatched = false;
  /** Until then the alarm is kept active as chattering. */
  let heldUntil = 0;
  const soonAfter = (raisedAt: number, before: Episode | undefined) =>
    before?.clearedAt != null && raisedAt - before.clearedAt <= hourMs;
  measured.forEach(({ at }, index) => {
    const isAlarm = lasts(index, from, rule.onMs, (each) => beyond(each, rule.alarm));
    if (active === null) {
      if (!isAlarm && !lasts(index, from, rule.onMs, (each) => beyond(each, rule.warn))) return;
      active = {
        code: rule.code,
        phase: rule.phase,
        raisedAt: at,
        alarmAt: isAlarm ? at : null,
        clearedAt: null,
        since: index,
      };
      const [former, last] = episodes.slice(-2);
      if (last && soonAfter(at, last) && soonAfter(last.raisedAt, former)) heldUntil = at + hourMs;
      return;
    }
    const isHeld = at < heldUntil;
    // Each value that exceeds the limit again extends this time.
    if (isHeld && beyond(index, rule.warn) && index > active.since && back(index - 1))
      heldUntil = at + hourMs;
    if (active.alarmAt === null && isAlarm) active.alarmAt = at;
    if (active.alarmAt !== null && rule.latch !== undefined && beyond(index, rule.latch)) isLatched = true;
    if (isLatched || !lasts(index, active.since + 1, (isHeld ? 4 : 1) * rule.offMs, back)) return;
    const { since: _, ...episode } = active;
    episodes.push({ ...episode, clearedAt: at });
    active = null;
    from = index + 1;
  });
  if (active !== null) {
    const { since: _, ...episode } = active as Episode & { since: number };
    episodes.push(episode);
  }
  return episodes;
};
