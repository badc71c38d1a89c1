import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Figure } from './figure.ts';
import { benchSecret, benchWorld } from './link-bench.ts';

const connections = 5_000;
const warmUp = 500;

/** Memory of the server for each idle MQTT connection with its subscriptions. */
export const run = async (): Promise<Figure[]> => {
  const world = await benchWorld(connections + warmUp);
  const open = async (first: number, devices: number) => {
    const load = fork(new URL('./link-load.ts', import.meta.url));
    const ready = once(load, 'message');
    load.send({
      load: {
        port: world.port,
        secret: benchSecret,
        first,
        devices,
        boot: 1,
        window: 0,
        rate: 0,
        alarmsPerSecond: 0,
      },
    });
    await ready;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return { load, memory: (await world.stats()).memory };
  };
  try {
    const before = await open(0, warmUp);
    const after = await open(warmUp, connections);
    const used = (memory: NodeJS.MemoryUsage) => memory.heapUsed + memory.external;
    for (const { load } of [before, after]) load.send({ end: true });
    return [
      {
        name: `memory of an idle connection, of ${connections.toLocaleString('en')}`,
        figure: (used(after.memory) - used(before.memory)) / connections / 1024,
        unit: 'KB',
        goal: '≤ 25',
        anchor: 'aedes alone 24; ThingsBoard 66',
      },
      {
        name: '… by the resident size of the process',
        figure: (after.memory.rss - before.memory.rss) / connections / 1024,
        unit: 'KB',
        goal: '≤ 25',
        anchor: '',
      },
    ];
  } finally {
    await world.close();
  }
};
