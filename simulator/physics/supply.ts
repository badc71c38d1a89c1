import type { Random } from '../random.ts';

const month = 30 * 86_400;
type SupplyEvent =
  | { kind: 'sag' | 'swell'; factor: number; seconds: number }
  | { kind: 'outage'; factor: 0; seconds: number };

const draw = (random: Random): SupplyEvent => {
  const pick = random.between(0, 3.8);
  if (pick < 3)
    return { kind: 'sag', factor: 1 - random.between(0.1, 0.6), seconds: random.logNormal(0.2, 1) };
  if (pick < 3.5)
    return { kind: 'swell', factor: 1 + random.between(0.1, 0.25), seconds: random.logNormal(0.2, 1) };
  return { kind: 'outage', factor: 0, seconds: random.logNormal(1800, 1) };
};

/** Daily deviation from the nominal voltage: lowest at the evening peak. */
const dailyVoltage = (hour: number) => -0.015 * Math.cos((2 * Math.PI * (hour - 20)) / 24);

/**
 * The supply in front of a device: an Ornstein-Uhlenbeck process (τ 600 s, σ 0.8 %) around the daily course, with
 * sags 3, swells 0.5 and outages 0.3 a month when `events` is on.
 */
export const createSupply = (random: Random, options: { bias: number; events: boolean }) => {
  let wander = random.normal(0, 0.008);
  let hertz = 50;
  let untilEvent = random.exponential(month / 3.8);
  let event: SupplyEvent | null = null;
  let eventLeft = 0;
  return {
    /** Voltage as a share of nominal, frequency in Hz, and the event that began in this step. */
    step(seconds: number, hour: number): { factor: number; hertz: number; began: SupplyEvent | null } {
      if (seconds > 0) {
        const keep = Math.exp(-seconds / 600);
        wander = wander * keep + 0.008 * Math.sqrt(1 - keep * keep) * random.normal();
        const keepHertz = Math.exp(-seconds / 60);
        hertz =
          50 + (hertz - 50) * keepHertz + 0.015 * Math.sqrt(1 - keepHertz * keepHertz) * random.normal();
      }
      let began: SupplyEvent | null = null;
      eventLeft -= seconds;
      if (event && eventLeft <= 0) event = null;
      untilEvent -= seconds;
      if (untilEvent <= 0) {
        began = draw(random);
        untilEvent = random.exponential(month / 3.8);
        if (options.events) {
          event = began;
          eventLeft = began.seconds;
        } else began = null;
      }
      // An event that ends within the step does not change its mean; only the event itself is reported.
      const disturbed = event && eventLeft >= 1 ? event.factor : 1;
      return { factor: (1 + options.bias + wander + dailyVoltage(hour)) * disturbed, hertz, began };
    },
  };
};
