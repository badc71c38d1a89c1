import { type Core, type Line, numeric } from './core.ts';

const hurryMs = 5 * 60_000;
const hurryIntervalMs = 5_000;
/** Minimum interval of reports by exception. */
const exceptionIntervalMs = 15_000;

interface Reported {
  current: number;
  volts: number;
  temperature: number;
  leakage: number;
}
const valuesOf = (line: Line): Reported => {
  const { main, volts, terminals, leakage } = line.model.readings;
  return {
    current: Math.max(...main.current),
    volts: Math.max(...volts),
    temperature: Math.max(...terminals),
    leakage,
  };
};

/**
 * Decides when a device reports: at its interval, more often after an event, and when values have changed
 * enough.
 */
export const createReporter = (core: Core, offset: number) => {
  let hurryUntil = 0;
  let lastAt = core.clock.now() - offset * numeric(core.parameters, 'tele_s') * 1000;
  let last: Reported[] = [];
  const hasMoved = () => {
    const share = numeric(core.parameters, 'rbe') / 100;
    if (share === 0) return false;
    return core.lines.some((line, i) => {
      const before = last[i];
      if (!before) return true;
      const now = valuesOf(line);
      return (
        Math.abs(now.current - before.current) > 2 * share * line.config.ratedCurrent ||
        Math.abs(now.volts - before.volts) > 0.4 * share * core.config.nominalVoltage ||
        Math.abs(now.temperature - before.temperature) > 40 * share ||
        Math.abs(now.leakage - before.leakage) > Math.max(2, 2 * share * before.leakage)
      );
    });
  };
  return {
    isDue(_: Core, now: number): boolean {
      const since = now - lastAt;
      if (core.faults.burstSeconds !== undefined) return since >= core.faults.burstSeconds * 1000;
      const interval = numeric(core.parameters, 'tele_s') * 1000;
      if (since >= interval) return true;
      if (now < hurryUntil && since >= hurryIntervalMs) return true;
      return since >= exceptionIntervalMs && hasMoved();
    },
    reported(from: Core): void {
      lastAt = from.clock.now();
      last = from.lines.map(valuesOf);
    },
    hurry(now: number): void {
      hurryUntil = now + hurryMs;
    },
  };
};
