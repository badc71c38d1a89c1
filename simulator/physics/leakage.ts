/** Insulation of a dry, sound line in Ω: a final circuit, or a feeder with everything behind it. */
export const dryInsulation = { final: 2_000_000, feeder: 20_000 } as const;

/** R_ins = R0·exp(−0.055·(RH − 50)) in Ω, RH in %. */
export const insulationResistance = (dryOhms: number, humidity: number) =>
  dryOhms * Math.exp(-0.055 * (humidity - 50));

/** IL = IL0 + 0.35 mA per kW of electronic load + 1000·U/R_ins, in mA. */
export const leakageCurrent = (
  standing: number,
  electronicKilowatts: number,
  volts: number,
  insulationOhms: number,
): number => standing + 0.35 * electronicKilowatts + (1000 * volts) / insulationOhms;
