/** The line of a timer; with the device's number if several devices are shown. */
export const lineLabel = (
  { n, line_name, device_number }: { n: number; line_name: string; device_number: string },
  withDevice: boolean,
): string =>
  [withDevice ? device_number : '', String(n), line_name].filter((part) => part !== '').join(' · ');
