const offsetAt = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')
    ?.value.replace('GMT', 'UTC') ?? '';

/** Every time zone with its offset at an instant, as options. */
export const zoneOptions = (at: number): { value: string; label: string }[] =>
  Intl.supportedValuesOf('timeZone').map((value) => ({
    value,
    label: `${value.replaceAll('_', ' ')} (${offsetAt(value, at)})`,
  }));
