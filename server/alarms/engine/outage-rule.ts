/** When a whole project is without supply or link (domain reference §3.2 rule 5): pure decisions. */

/** A device of the project that is away (offline, or with an active outage alarm), and since when. */
export interface Away {
  readonly deviceId: number;
  readonly at: number;
}
/** Devices that left within this time of each other left together. */
export const outageWindowMs = 120_000;
const beginsAbove = 0.6;
const endsBelow = 0.3;
/** One or two devices are single problems, not a project outage. */
const leastDevices = 3;

export interface OutageShare {
  readonly devices: ReadonlySet<number>;
  /** Devices that were in service when the outage began. */
  readonly inService: number;
  /** Per cent. */
  readonly share: number;
  /** When the first device left. */
  readonly since: number;
}
const shareOf = (devices: readonly Away[], inService: number): OutageShare => ({
  devices: new Set(devices.map(({ deviceId }) => deviceId)),
  inService,
  share: Math.round((1000 * devices.length) / inService) / 10,
  since: Math.min(...devices.map(({ at }) => at)),
});

/**
 * The devices that left together within two minutes, if they are more than 60 % of those in service before;
 * else null. `known`: devices of the project that were ever online, `away` among them. Devices that had left
 * earlier do not count.
 */
export const outageOf = (away: readonly Away[], known: number): OutageShare | null => {
  const sorted = [...away].sort((a, b) => a.at - b.at);
  let first = sorted.length;
  for (let last = sorted.length - 1; last >= 0; last -= 1) {
    const since = (sorted[last]?.at ?? 0) - outageWindowMs;
    first = Math.min(first, last);
    while (first > 0 && (sorted[first - 1]?.at ?? 0) >= since) first -= 1;
    const together = sorted.slice(first, last + 1);
    const inService = known - first;
    if (together.length >= leastDevices && together.length > beginsAbove * inService)
      return shareOf(together, inService);
  }
  return null;
};

/**
 * What remains of an outage that began at `since`; null when nothing does. `fading`: fewer than 30 % are
 * still away, which ends the outage if it lasts.
 */
export const outageLeft = (
  away: readonly Away[],
  known: number,
  since: number,
): (OutageShare & { readonly fading: boolean }) | null => {
  const during = away.filter(({ at }) => at >= since - outageWindowMs);
  const inService = known - (away.length - during.length);
  if (during.length === 0) return null;
  return { ...shareOf(during, inService), fading: during.length < endsBelow * inService };
};
/** Devices that return within this time after most of the others get no separate alarm. */
export const outageFadesMs = outageWindowMs;
