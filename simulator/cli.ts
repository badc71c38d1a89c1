import { readArguments, usage } from './arguments.ts';
import { createFleet } from './fleet.ts';
import { sceneById, scenes } from './scenes.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);

const list = () =>
  print(
    scenes
      .map((scene) => {
        const first =
          scene.firstAlarmSeconds === null ? 'no alarm' : `first alarm ~${scene.firstAlarmSeconds} s`;
        const types = scene.types.join(' ').padEnd(14);
        const codes = scene.codes.join(' ').padEnd(20);
        return `${scene.id.padEnd(18)} types ${types} codes ${codes} ${first}, speed ${scene.demoSpeed}`;
      })
      .join('\n'),
  );

/** Prints events and answers in one line each, but not measurements, which are too many. */
const printSent = (number: string, topic: string, payload: string) => {
  if (!/\/(event|ack|ota)$/.test(topic)) return;
  const { kind, st, code, lvl, n, val, sw, by, why } = JSON.parse(payload) as Record<string, unknown>;
  const parts = { kind, st, code, level: lvl, line: n, value: val, position: sw, by, why };
  const text = Object.entries(parts).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${value}`],
  );
  print(`${number} ${topic.split('/').at(-1)}: ${text.join(', ')}`);
};

const run = () => {
  const args = readArguments(process.argv.slice(2));
  if (args.list) return list();
  if (args.devices.length === 0) throw new Error(usage);
  const scene = args.scene === null ? null : sceneById(args.scene);
  if (args.scene !== null && !scene) throw new Error(`No scene is called ${args.scene}; --list names them.`);
  const fleet = createFleet({
    brokerUrl: args.url,
    seed: args.seed,
    devices: args.devices,
    natural: args.natural,
    onSaid: printSent,
    onState: (number, connected) => print(`${number} ${connected ? 'connected' : 'lost its connection'}`),
  });
  fleet.start();
  print(`${args.devices.length} device(s) towards ${args.url}; Ctrl-C ends.`);
  if (scene)
    for (const { number } of args.devices) {
      if (!fleet.scenes(number).includes(scene)) {
        print(`${number}: ${scene.id} does not fit this type`);
        continue;
      }
      fleet.play(scene.id, number, {
        speed: args.speed ?? scene.demoSpeed,
        ...(args.line === null ? {} : { line: args.line }),
      });
      print(`${number}: ${scene.id}, codes ${scene.codes.join(' ') || 'none'}`);
    }
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    void fleet.stop().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
};

try {
  run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
