import { redirect } from '@tanstack/react-router';
import { deviceEndpoints } from '#contract/devices.ts';
import { longestSearch } from '#contract/search.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { paths } from '#web/parts/paths.ts';

/**
 * Opens the lines of the device whose panel code was scanned; for a number that is unknown or of
 * another project (the answers are the same) or that no device can have, the search, which shows the number.
 */
export const enterPanel = async (number: string): Promise<never> => {
  const href = await call(deviceEndpoints.info, { number }, { quiet: true }).then(
    ({ device_id }) => paths.lineList(device_id),
    (error: unknown) => {
      if (!(error instanceof Fault) || ![404, 422].includes(error.status)) throw error;
      return paths.search(number.slice(0, longestSearch));
    },
  );
  throw redirect({ href, replace: true });
};
