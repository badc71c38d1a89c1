/** Which line a timer switches; with the device's number where several devices are shown. */
export const lineLabel = (
  { n, line_name, device_number }: { n: number; line_name: string; device_number: string },
  withDevice: boolean,
): string =>
  [withDevice ? device_number : '', String(n), line_name].filter((part) => part !== '').join(' · ');
