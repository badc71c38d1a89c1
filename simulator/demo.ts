/** Child process that runs the demo estate's fleet: takes orders over IPC and ends when its parent does. */
import { type FlashStore, flashFile } from './flash.ts';
import { createFleet, type Fleet } from './fleet.ts';
import type { DeviceConfig } from './model.ts';
import { randomStream } from './random.ts';
import { type Scene, sceneById, scenes } from './scenes.ts';

interface Start {
  kind: 'start';
  brokerUrl: string;
  seed: string;
  devices: DeviceConfig[];
  /** File in which the devices keep what survives a loss of power; absent: nothing. */
  flash?: string;
}
type Order =
  | { kind: 'scenes'; id: number; number: string | null }
  | { kind: 'play'; id: number; number: string; scene: string; line: number | null }
  | { kind: 'stop'; id: number; number: string };
type Message = Start | Order | { kind: 'end' };

/** A scene without its own end stops after this long: the estate comes to rest by itself. */
const longestSceneSeconds = 900;
const firstMildSeconds = 240;
const mildEverySeconds = [2400, 5400] as const;
/** Messages that a device's flash holds in the demo estate. */
const mostUnsent = 20;
/** A little below rated current: an early warning, no alarm. */
const mild = { scene: 'overload', speed: -0.2, seconds: 150 };

let fleet: Fleet | null = null;

const wireScene = ({ id, types, codes, firstAlarmSeconds }: Scene) => ({
  scene: id,
  types: [...types],
  codes: [...codes],
  seconds: firstAlarmSeconds,
});
const answer = (order: Order, running: Fleet): unknown => {
  switch (order.kind) {
    case 'scenes': {
      const list = order.number === null ? scenes : running.scenes(order.number);
      const playing = running.numbers().flatMap((number) => {
        const scene = running.playing(number);
        return scene === null ? [] : [{ number, scene }];
      });
      return { list: list.map(wireScene), playing };
    }
    case 'play': {
      const scene = sceneById(order.scene);
      running.play(order.scene, order.number, {
        speed: scene?.demoSpeed ?? 1,
        seconds: scene?.seconds ?? longestSceneSeconds,
        ...(order.line === null ? {} : { line: order.line }),
      });
      return null;
    }
    case 'stop':
      running.stopScene(order.number);
      return null;
  }
};

/** Now and then one line comes near its limit, so that a calm estate still lives. */
const stirNowAndThen = (running: Fleet, devices: readonly DeviceConfig[], seed: string) => {
  const random = randomStream(seed, `mild/${Date.now()}`);
  const fitting = devices.filter(({ type }) => type === 3 || type === 4);
  const stir = () => {
    const device = fitting[Math.floor(random.next() * fitting.length)];
    const line = device?.lines.find((each) => each.position !== 0);
    if (device && line && running.playing(device.number) === null)
      running.play(mild.scene, device.number, { speed: mild.speed, seconds: mild.seconds, line: line.n });
    setTimeout(stir, random.between(...mildEverySeconds) * 1000).unref();
  };
  setTimeout(stir, firstMildSeconds * 1000).unref();
};

/**
 * The devices' flash. A register only grows: what was reported after the last writing counts, and little that is
 * unsent is kept, so that the file stays small.
 */
const flashOf = (path: string, devices: readonly DeviceConfig[]): FlashStore => {
  const file = flashFile(path);
  const reported = new Map(
    devices.flatMap(({ number, lines }) => lines.map(({ n, energy }) => [`${number}/${n}`, energy ?? 0])),
  );
  return {
    load: () =>
      Object.fromEntries(
        Object.entries(file.load()).map(([number, flash]) => [
          number,
          {
            ...flash,
            lines: flash.lines.map((line) => ({
              ...line,
              energy: Math.max(line.energy, reported.get(`${number}/${line.n}`) ?? 0),
            })),
          },
        ]),
      ),
    save(all) {
      const kept = Object.entries(all).map(([number, flash]) => [
        number,
        { ...flash, unsent: flash.unsent.slice(-mostUnsent) },
      ]);
      try {
        file.save(Object.fromEntries(kept));
      } catch {
        // A full disk: the devices go on, and forget more at the next loss of power.
      }
    },
  };
};

const start = ({ brokerUrl, seed, devices, flash }: Start) => {
  fleet = createFleet({
    brokerUrl,
    seed,
    devices,
    ...(flash === undefined ? {} : { flash: flashOf(flash, devices) }),
  });
  fleet.start();
  stirNowAndThen(fleet, devices, seed);
};
let ending = false;
const end = () => {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(0), 3000).unref();
  void fleet?.stop().finally(() => process.exit(0));
  if (!fleet) process.exit(0);
};

process.on('message', (message: Message) => {
  if (message.kind === 'start') return start(message);
  if (message.kind === 'end') return end();
  if (!fleet) return;
  try {
    process.send?.({ id: message.id, result: answer(message, fleet) });
  } catch (error) {
    process.send?.({ id: message.id, refused: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', end);
// Ctrl-C reaches the whole group; the parent says when to end.
process.on('SIGINT', () => {});
