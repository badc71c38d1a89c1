import { connectPool } from '#database/connect.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { linkOn, noJudge } from './link.world.ts';

/** A link in a separate process, so that a test can kill it. */
const [databaseUrl = '', mqttPort = '0', mqttUrl] = process.argv.slice(2);
const pool = connectPool(databaseUrl, 6);
const bus = createBus(() => {});
const link = await linkOn(pool, bus, systemClock, noJudge(), {
  mqttPort: Number(mqttPort),
  mqttUrl: mqttUrl || undefined,
});
process.send?.({ port: link.port });
