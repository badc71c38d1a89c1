import * as z from 'zod';
import { endpoint, filter, id, nothing } from './endpoint.ts';

/** The demo panel: scenes that the simulated devices can play. Refused where no simulation runs. */
export const demoEndpoints = {
  /** The scenes that fit a device, or all; and what plays now. */
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
          /** Typical time to the first alarm; null where none is due. */
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
    body: z.strictObject({ device_id: id, scene: z.string().max(40), line_id: filter(id) }),
    reply: nothing,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/demo/stop',
    permission: 'demo.run',
    log: 'demo.stop',
    body: z.strictObject({ device_id: id }),
    reply: nothing,
  }),
};
