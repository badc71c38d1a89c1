import type { DeviceType } from '#contract/telemetry.ts';
import { type Clock, realClock } from './clock.ts';
import { type Connection, createConnection } from './comms.ts';
import { createDevice, type Device } from './device.ts';
import type { FlashStore } from './flash.ts';
import { type DeviceConfig, healthy, isFeeder, linePhases } from './model.ts';
import { randomStream } from './random.ts';
import { isSceneFor, type Scene, type SceneOptions, sceneById, scenes } from './scenes.ts';

/** Physics step. */
const stepMs = 1000;
/** Pause between the first connections of two devices. */
const connectGapMs = 20;

interface FleetOptions {
  brokerUrl: string;
  seed: string | number;
  devices: readonly DeviceConfig[];
  clock?: Clock;
  /** Rain, lost sessions, supply events, wrong clocks and register resets as in the field. Default off. */
  natural?: boolean;
  bufferLimit?: number;
  flash?: FlashStore;
  onState?: (number: string, connected: boolean) => void;
  onSaid?: (number: string, topic: string, payload: string) => void;
}
interface Playing {
  scene: Scene;
  options: SceneOptions;
  startedAt: number;
}
interface Unit {
  device: Device;
  connection: Connection;
  stepAt: number;
  playing: Playing | null;
}
const tickMs = 200;
const flashMs = 5_000;
const calmFlashMs = 60_000;
const signalMs = 60_000;

/**
 * Many devices in one process. They communicate only by MQTT; scenes change their environment, never their
 * messages to the server.
 */
export const createFleet = (options: FleetOptions) => {
  const clock = options.clock ?? realClock;
  const natural = options.natural === true;
  const stored = options.flash?.load() ?? {};
  const units = new Map<string, Unit>();
  let running = false;
  let cancels: (() => void)[] = [];
  let calmSave = 0;

  options.devices.forEach((config, i) => {
    const device = createDevice({
      config,
      seed: options.seed,
      clock,
      natural,
      flash: stored[config.number],
      ...(options.bufferLimit === undefined ? {} : { bufferLimit: options.bufferLimit }),
    });
    const connection = createConnection({
      brokerUrl: options.brokerUrl,
      device,
      clock,
      random: randomStream(options.seed, `comms/${config.number}`),
      natural,
      ...(options.onState ? { onState: options.onState } : {}),
      ...(options.onSaid ? { onSaid: options.onSaid } : {}),
    });
    units.set(config.number, {
      device,
      connection,
      stepAt: clock.now() + ((i * tickMs) % 1000) + tickMs,
      playing: null,
    });
  });

  const unitOf = (number: string) => {
    const unit = units.get(number);
    if (!unit) throw new Error(`No simulated device has the number ${number}.`);
    return unit;
  };
  const applyScene = (unit: Unit, now: number) => {
    const { playing, device } = unit;
    if (!playing) return;
    const elapsed = (now - playing.startedAt) / 1000;
    const seconds = playing.options.seconds ?? playing.scene.seconds;
    if (seconds !== undefined && elapsed >= seconds) return endScene(unit);
    const line = playing.options.line ?? device.config.lines[0]!.n;
    const lineConfig = device.config.lines.find((each) => each.n === line) ?? device.config.lines[0]!;
    const site = { feeder: isFeeder(lineConfig, device.config.type) };
    const before = device.core.faults;
    const next = { line, ...playing.scene.faults(elapsed, playing.options.speed ?? 1, site) };
    device.setFaults(next);
    if (
      before.offline !== next.offline ||
      before.signal !== next.signal ||
      (before.flapping === undefined) !== (next.flapping === undefined)
    )
      unit.connection.faultsChanged();
  };
  const endScene = (unit: Unit) => {
    if (!unit.playing) return;
    unit.playing = null;
    unit.device.setFaults(healthy);
    unit.connection.faultsChanged();
  };
  const repeat = (ms: number, run: () => void) => {
    let cancel = clock.after(ms, function again() {
      run();
      cancel = clock.after(ms, again);
    });
    cancels.push(() => cancel());
  };
  const save = () => {
    if (!options.flash) return;
    const all: Record<string, ReturnType<Device['flash']>> = {};
    for (const [number, { device }] of units) all[number] = device.flash();
    options.flash.save(all);
  };
  const tick = () => {
    const now = clock.now();
    for (const unit of units.values()) {
      if (now < unit.stepAt) continue;
      unit.stepAt = Math.max(unit.stepAt + stepMs, now - stepMs);
      applyScene(unit, now);
      unit.device.step();
    }
  };
  const projectOf = (unit: Unit, scene: Scene) =>
    scene.scope === 'project'
      ? [...units.values()].filter(
          (other) => other.device.config.projectKey === unit.device.config.projectKey,
        )
      : [unit];
  const kindOf = (config: DeviceConfig) => ({
    type: config.type satisfies DeviceType,
    threePhase: config.lines.some((line) => linePhases(line, config.type).length === 3),
    switchable: config.lines.some((line) => line.switchable),
  });

  return {
    start(): void {
      if (running) return;
      running = true;
      // Before the first message: a start that is killed at once must not use its boot numbers twice.
      save();
      let i = 0;
      for (const unit of units.values()) cancels.push(clock.after(i++ * connectGapMs, unit.connection.start));
      repeat(tickMs, tick);
      repeat(signalMs, () => {
        for (const unit of units.values()) unit.connection.stepSignal();
      });
      if (options.flash)
        repeat(flashMs, () => {
          calmSave += flashMs;
          let dirty = false;
          for (const unit of units.values()) dirty = unit.device.takeDirty() || dirty;
          if (!dirty && calmSave < calmFlashMs) return;
          calmSave = 0;
          save();
        });
    },
    async stop(): Promise<void> {
      running = false;
      for (const cancel of cancels) cancel();
      cancels = [];
      await Promise.all([...units.values()].map((unit) => unit.connection.stop()));
      save();
    },
    /**
     * Starts a scene; a project-wide one plays on every device of the same project. Throws if the scene is
     * unknown or does not fit.
     */
    play(sceneId: string, number: string, sceneOptions: SceneOptions = {}) {
      const unit = unitOf(number);
      const scene = sceneById(sceneId);
      if (!scene) throw new Error(`No scene is called ${sceneId}.`);
      if (!isSceneFor(scene, kindOf(unit.device.config)))
        throw new Error(`Scene ${sceneId} does not fit device ${number}.`);
      for (const each of projectOf(unit, scene)) {
        endScene(each);
        each.playing = { scene, options: sceneOptions, startedAt: clock.now() };
        applyScene(each, clock.now());
      }
    },
    stopScene(number: string) {
      const unit = unitOf(number);
      if (!unit.playing) return;
      const { scene } = unit.playing;
      for (const each of projectOf(unit, scene)) if (each.playing?.scene === scene) endScene(each);
    },
    /** The scenes that fit a device. */
    scenes: (number: string): readonly Scene[] => {
      const kind = kindOf(unitOf(number).device.config);
      return scenes.filter((scene) => isSceneFor(scene, kind));
    },
    playing: (number: string): string | null => unitOf(number).playing?.scene.id ?? null,
    device: (number: string): Device => unitOf(number).device,
    numbers: (): string[] => [...units.keys()],
    connected: (): number => [...units.values()].filter((unit) => unit.connection.isUp()).length,
  };
};
export type Fleet = ReturnType<typeof createFleet>;
