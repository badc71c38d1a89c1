import * as z from 'zod';
import { rolloutDeviceStates, rolloutStates } from '#contract/firmware.ts';
import { listShape, optionalNumber, optionalOf } from '#web/parts/url-state.ts';

/** Fields of the address of version upgrade. */
export const firmwareSearch = z.object({
  ...listShape,
  tab: z.enum(['versions', 'rollouts', 'keys']).catch('versions'),
  mac_type: optionalNumber,
  status: optionalOf(['enabled', 'disabled']),
  state: optionalOf(rolloutStates),
  /** `rollout`: the rollout that is shown; `device_state` filters its devices. */
  rollout: optionalNumber,
  device_state: optionalOf(rolloutDeviceStates),
  device_page: z.coerce.number().int().min(1).catch(1),
});
export type FirmwareSearch = z.output<typeof firmwareSearch>;
