import type { Figure } from './figure.ts';
import { benchWorld, measure } from './link-bench.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 15);
/**
 * Times of last contact are written every 30 s and tables are vacuumed as often, so a period of 30 s includes
 * each exactly once.
 */
const periodSeconds = 30;

/**
 * Native JSON of one line with 3 values, MQTT QoS 1, PUBACK after commit with fsync. A paced figure is valid
 * only if its rate was reached: on a busy machine fewer, larger groups are written, which cost less per
 * message.
 */
export const run = async (): Promise<Figure[]> => {
  const world = await benchWorld(5_000);
  try {
    const loop = await measure(world, { devices: 500, window: 20, rate: 0, alarmsPerSecond: 0 }, seconds);
    const fast = await measure(world, { devices: 500, window: 0, rate: 20_000, alarmsPerSecond: 0 }, seconds);
    const many = await measure(
      world,
      { devices: 5_000, window: 0, rate: 5_000, alarmsPerSecond: 50 },
      Math.max(seconds, periodSeconds),
    );
    return [
      {
        name: 'ingest closed loop, 500 connections × 20',
        figure: loop.messagesPerSecond,
        unit: 'msg/s',
        goal: '≥ 45,000',
        anchor: 'bare trial 63,000',
      },
      {
        name: '… CPU a message, database included',
        figure: loop.microseconds,
        unit: 'µs',
        goal: '≤ 30',
        anchor: 'bare trial 21',
      },
      {
        name: 'ingest paced 20,000 msg/s, 500 connections',
        figure: fast.messagesPerSecond,
        unit: 'msg/s',
        goal: '20,000',
        anchor: '',
      },
      {
        name: '… CPU a message',
        figure: fast.microseconds,
        unit: 'µs',
        goal: '≤ 50',
        anchor: 'bare trial 45',
      },
      {
        name: 'ingest paced 5,000 msg/s, 5,000 connections, 50 alarms/s',
        figure: many.messagesPerSecond,
        unit: 'msg/s',
        goal: '5,000',
        anchor: 'ThingsBoard 5,000, no fsync',
      },
      {
        name: '… CPU a message',
        figure: many.microseconds,
        unit: 'µs',
        goal: '≤ 65',
        anchor: 'bare trial 64; Node-RED 295; ThingsBoard 380',
      },
    ];
  } finally {
    await world.close();
  }
};
