import type { TrialLine } from './trial.ts';

/** Device, and the line on it. */
export const placeOf = ({ device_name, device_number, n, line_name }: TrialLine, withLine = true): string =>
  [
    device_name || device_number,
    ...(withLine ? [line_name === '' ? String(n) : `${n} ${line_name}`] : []),
  ].join(' · ');
