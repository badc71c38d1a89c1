import type { TrialLine } from './trial.ts';

/** Name of a device and, if wanted, of its line. */
export const placeOf = ({ device_name, device_number, n, line_name }: TrialLine, withLine = true): string =>
  [
    device_name || device_number,
    ...(withLine ? [line_name === '' ? String(n) : `${n} ${line_name}`] : []),
  ].join(' · ');
