/** Child process that runs the demo fleet: receives orders over IPC and ends with its parent. */
import { type FlashStore, flashFile } from '#simulator/flash.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import type { DeviceConfig } from '#simulator/model.ts';
import { randomStream } from '#simulator/random.ts';
import { type Scene, sceneById, scenes } from '#simulator/scenes.ts';

interface Start {
  kind: 'start';
  brokerUrl: string;
  seed: string;
  devices: DeviceConfig[];
  /** File for the data that devices keep over a power failure. */
  flash: string;
}
type Order =
  | { kind: 'scenes'; id: number; number: string | null }
  | { kind: 'play'; id: number; number: string; scene: string; line: number | null }
  | { kind: 'stop'; id: number; number: string };
type Message = Start | Order | { kind: 'end' };

/** A scene without its own end stops after this time, so that the demo becomes calm again. */
const longestSceneSeconds = 900;
const firstMildSeconds = 240;
const mildEverySeconds = [2400, 5400] as const;
/** Number of unsent messages that a device's flash keeps in the demo estate. */
const mostUnsent = 20;
/** Slightly below rated current: an early warning, not an alarm. */
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

/** Sometimes one line comes near its limit, so that a calm estate still shows activity. */
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
 * The devices' flash memory. A register only grows, so the last reported value counts if it is newer than the
 * flash; only a few unsent messages are kept, so that the file stays small.
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
        // A full disk: the devices continue, and lose more at the next power failure.
      }
    },
  };
};

const start = ({ brokerUrl, seed, devices, flash }: Start) => {
  fleet = createFleet({
    brokerUrl,
    seed,
    devices,
    flash: flashOf(flash, devices),
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
// Ctrl-C reaches the whole process group; the parent decides when to end.
process.on('SIGINT', () => {});
