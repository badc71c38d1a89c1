/** The simulator's only source of time, so that tests run hours in milliseconds. */
export interface Clock {
  now(): number;
  /** Calls `run` once after `ms`; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const realClock: Clock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Advances the time and runs what comes due, in order of time. */
  advance(ms: number): void;
}

export const manualClock = (start: number): ManualClock => {
  let now = start;
  let order = 0;
  let due: { at: number; order: number; run: () => void }[] = [];
  const takeNext = (until: number) => {
    let next: (typeof due)[number] | undefined;
    for (const entry of due) {
      if (entry.at > until) continue;
      if (!next || entry.at < next.at || (entry.at === next.at && entry.order < next.order)) next = entry;
    }
    if (next) due = due.filter((entry) => entry !== next);
    return next;
  };
  return {
    now: () => now,
    after(ms, run) {
      const entry = { at: now + Math.max(0, ms), order: order++, run };
      due.push(entry);
      return () => {
        due = due.filter((other) => other !== entry);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (let next = takeNext(until); next; next = takeNext(until)) {
        now = Math.max(now, next.at);
        next.run();
      }
      now = until;
    },
  };
};
