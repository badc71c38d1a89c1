import { redirect } from '@tanstack/react-router';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { paths } from '#web/parts/paths.ts';

/**
 * Opens the lines of the device whose panel code was scanned; for an unknown number, the search, which shows
 * the number.
 */
export const enterPanel = async (number: string): Promise<never> => {
  const href = await call(deviceEndpoints.info, { number }, { quiet: true }).then(
    ({ device_id }) => paths.lineList(device_id),
    (error: unknown) => {
      if (!(error instanceof Fault) || error.status !== 404) throw error;
      return paths.search(number);
    },
  );
  throw redirect({ href, replace: true });
};
