/**
 * What must be an unprocessed alarm at a moment, calculated slowly and only from the design: from the list of reports,
 * and from what operators did. All times are true times, ms.
 */
export type Zone = 0 | 1 | 2;

/** What the design says of the alarm of one quantity. Delays in ms. */
export interface Rule {
  code: number;
  on: number;
  off: number;
  /** The least level that the quantity can have: 2 if it has no early warning. */
  least: 1 | 2;
  /** One report shows a return: there is no off-delay. */
  endsAtOnce?: boolean;
}
export interface Report {
  boot: number;
  seq: number;
  zone: Zone;
  measuredAt: number;
  /** Null: the server has not acknowledged it. */
  receivedAt: number | null;
  /** Its place among the messages that the server acknowledged. */
  place: number;
  /** Sent as backlog. */
  stored: boolean;
}
export interface Handling {
  at: number;
  level: 1 | 2;
}
export interface Told {
  rule: Rule;
  reports: Report[];
  handlings: Handling[];
  /** Clocks were wrong or were set: delays may last so much longer. */
  slack: number;
}

const inOrder = (a: Report, b: Report) => a.boot - b.boot || a.seq - b.seq;

/** Reports that were the newest of all when they came, and were not sent as backlog, in order. */
const liveOf = (received: readonly Report[]): Report[] => {
  const live: Report[] = [];
  for (const report of [...received].sort((a, b) => a.place - b.place)) {
    const last = live.at(-1);
    if (!report.stored && (!last || inOrder(last, report) < 0)) live.push(report);
  }
  return live;
};

/** The level that live reports have shown for the whole on-delay, until the last one. */
const heldLevel = (live: readonly Report[], { on, least }: Rule, slack: number): 0 | 1 | 2 => {
  for (const level of [2, 1] as const) {
    if (level < least) break;
    const first = live.slice(live.findLastIndex(({ zone }) => zone < level) + 1)[0];
    const last = live.at(-1);
    if (!first || !last) continue;
    if (on === 0 || last.measuredAt - first.measuredAt >= on + slack) return level;
  }
  return 0;
};

/**
 * Reports of the present episode: those after the last stretch of normal values that lasted for the off-delay. From the
 * third episode on it may be held as one that chatters, so that a return has to last four times as long.
 */
const presentEpisode = (ordered: readonly Report[], { off, endsAtOnce }: Rule, slack: number): Report[] => {
  let episodes = 0;
  let from = 0;
  let normalSince: number | null = null;
  let isOver = true;
  for (const [index, { zone, measuredAt }] of ordered.entries()) {
    if (zone > 0) {
      if (isOver) {
        episodes += 1;
        from = index;
      }
      isOver = false;
      normalSince = null;
      continue;
    }
    normalSince ??= measuredAt;
    const lasts = episodes >= 3 ? 4 * off : off;
    if (endsAtOnce === true || measuredAt - normalSince >= lasts + slack) isOver = true;
  }
  return isOver ? [] : ordered.slice(from);
};

export interface Demand {
  level: 1 | 2;
  /** It may be handled; it must be active all the same. */
  mayBeHandled: boolean;
}
/**
 * What the server must show; null: nothing is demanded. Late reports received after `settled` are not counted yet,
 * because they are judged when all have come.
 */
export const demandOf = (told: Told, now: number, settled: number): Demand | null => {
  const { rule, handlings, slack } = told;
  const received = told.reports.filter(({ receivedAt }) => receivedAt !== null && receivedAt <= now);
  const live = liveOf(received);
  const level = heldLevel(live, rule, slack);
  if (level === 0) return null;
  const isLive = new Set(live);
  const known = received.filter((report) => isLive.has(report) || report.receivedAt! <= settled);
  const episode = presentEpisode([...known].sort(inOrder), rule, slack);
  // The operator saw this episode if a live report of it had come.
  const seenAt = episode.find((report) => report.zone > 0 && isLive.has(report))?.receivedAt;
  if (seenAt === undefined || seenAt === null) return null;
  return { level, mayBeHandled: handlings.some((one) => one.at >= seenAt && one.level >= level) };
};

/** No report has shown anything but this level since the alarm was handled: nothing may be announced again. */
export const isQuiet = ({ reports, handlings }: Told, level: number): boolean => {
  const last = handlings.at(-1);
  if (last?.level !== 2 || level !== 2) return false;
  const first = reports.findIndex(({ measuredAt }) => measuredAt >= last.at);
  return reports.slice(Math.max(0, first - 1)).every(({ zone, stored }) => zone === 2 && !stored);
};
