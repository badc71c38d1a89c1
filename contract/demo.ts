import * as z from 'zod';
import { chosenDevice, endpoint, filter, id, nothing } from './endpoint.ts';

/** The demo panel: scenes that the simulated devices can play. Refused if no simulation runs. */
export const demoEndpoints = {
  /** The scenes for a device, or all of them, and the scene that is playing. */
  scenes: endpoint({
    method: 'POST',
    path: '/demo/scenes',
    permission: 'demo.run',
    body: z.strictObject({ device_id: filter(id) }),
    reply: z.object({
      list: z.array(
        z.object({
          scene: z.string(),
          types: z.array(z.int()),
          codes: z.array(z.int()),
          /** Typical time to the first alarm; null if no alarm is expected. */
          seconds: z.int().nullable(),
        }),
      ),
      playing: z.array(z.object({ device_id: z.int(), number: z.string(), scene: z.string() })),
    }),
  }),
  play: endpoint({
    method: 'POST',
    path: '/demo/play',
    permission: 'demo.run',
    log: 'demo.play',
    body: z.strictObject({ device_id: chosenDevice, scene: z.string().max(40), line_id: filter(id) }),
    reply: nothing,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/demo/stop',
    permission: 'demo.run',
    log: 'demo.stop',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: nothing,
  }),
};
