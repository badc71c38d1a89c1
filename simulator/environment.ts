import type { DeviceConfig, Faults } from './model.ts';
import type { Surroundings } from './physics/line.ts';
import { createSupply } from './physics/supply.ts';
import { ambientTemperature, cabinetRise } from './physics/thermal.ts';
import { randomStream } from './random.ts';
import { wallTime } from './timers.ts';

const calendarMs = 60_000;

/** Local time, weather and supply of a device; devices of one project share them. */
export const createEnvironment = (seed: string | number, config: DeviceConfig, events: boolean) => {
  const weather = randomStream(seed, `weather/${config.projectKey}`);
  const supply = createSupply(randomStream(seed, `supply/${config.projectKey}`), {
    bias: config.voltageBias ?? 0,
    events,
  });
  const perPhase = randomStream(seed, `phases/${config.projectKey}`);
  const offsets = [0, 1, 2].map(() => perPhase.normal(0, 0.003));
  let humidity = weather.between(50, 70);
  let calendarAt = Number.NEGATIVE_INFINITY;
  let factor = 1;
  let dips = 0;
  const surroundings: Surroundings = {
    seconds: 0,
    hour: 0,
    weekend: false,
    dayOfYear: 0,
    ambient: 20,
    humidity,
    volts: [config.nominalVoltage, config.nominalVoltage, config.nominalVoltage],
  };
  const environment = {
    surroundings,
    hertz: 50,
    /** A sag or swell that began and ended within this step. */
    dip: null as { factor: number } | null,
    around(seconds: number, faults: Faults, zone: string | number, now: number): Surroundings {
      if (now - calendarAt >= calendarMs || now < calendarAt) {
        calendarAt = now;
        const wall = wallTime(now, zone);
        surroundings.hour = wall.minute / 60;
        surroundings.weekend = wall.weekday >= 5;
        surroundings.dayOfYear =
          (Date.parse(wall.date) - Date.parse(`${wall.date.slice(0, 4)}-01-01`)) / 86_400_000;
        surroundings.ambient = ambientTemperature(surroundings.hour, surroundings.dayOfYear) + cabinetRise;
      }
      surroundings.seconds = seconds;
      if (seconds > 0) {
        const keep = Math.exp(-seconds / 7200);
        humidity = 65 + (humidity - 65) * keep + 9 * Math.sqrt(1 - keep * keep) * weather.normal();
        surroundings.humidity = Math.min(95, Math.max(45, humidity));
        const source = supply.step(seconds, surroundings.hour);
        factor = source.factor;
        environment.hertz = source.hertz + (faults.hertzOffset ?? 0);
        environment.dip = source.began && source.began.kind !== 'outage' ? source.began : null;
        const count = faults.dip?.count ?? 0;
        if (faults.dip && count > dips) environment.dip = faults.dip;
        dips = count;
      }
      const shifts = faults.phaseFactors ?? [1, 1, 1];
      surroundings.volts = offsets.map(
        (offset, k) => config.nominalVoltage * (factor + offset) * (faults.supplyFactor ?? 1) * shifts[k]!,
      );
      return surroundings;
    },
  };
  return environment;
};
export type Environment = ReturnType<typeof createEnvironment>;
