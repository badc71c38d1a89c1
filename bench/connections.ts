import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Figure } from './figure.ts';
import { benchSecret, benchWorld } from './link-bench.ts';

const connections = 5_000;
const warmUp = 500;

/** Memory of the server for each idle MQTT connection with its subscriptions. */
export const run = async (): Promise<Figure[]> => {
  const world = await benchWorld(warmUp + 2 * connections);
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
    const few = await open(0, warmUp);
    const many = await open(warmUp, connections);
    const twice = await open(warmUp + connections, connections);
    const each = (from: typeof few, to: typeof few, of: (memory: NodeJS.MemoryUsage) => number) =>
      (of(to.memory) - of(from.memory)) / connections / 1024;
    for (const { load } of [few, many, twice]) load.send({ end: true });
    const count = connections.toLocaleString('en');
    return [
      {
        name: `memory of an idle connection, of the second ${count}, by the resident size of the process`,
        figure: each(many, twice, ({ rss }) => rss),
        unit: 'KB',
        goal: '≤ 25',
        anchor: 'aedes alone 24; ThingsBoard 66',
      },
      {
        name: '… heap in use and what it holds outside',
        figure: each(many, twice, ({ heapUsed, external }) => heapUsed + external),
        unit: 'KB',
        goal: '≤ 25',
        anchor: '',
      },
      {
        name: `… of the first ${count}, resident: with the young generation growing to its full size, once`,
        figure: each(few, many, ({ rss }) => rss),
        unit: 'KB',
        goal: '',
        anchor: '',
      },
    ];
  } finally {
    await world.close();
  }
};
