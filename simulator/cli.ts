import { readArguments, usage } from './arguments.ts';
import { createFleet } from './fleet.ts';
import { sceneById, scenes } from './scenes.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);

const list = () => {
  for (const scene of scenes) {
    const first = scene.firstAlarmSeconds === null ? 'no alarm' : `first alarm ~${scene.firstAlarmSeconds} s`;
    print(
      `${scene.id.padEnd(18)} types ${scene.types.join(' ').padEnd(14)} codes ${scene.codes.join(' ').padEnd(20)} ${first}, speed ${scene.demoSpeed}`,
    );
  }
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
