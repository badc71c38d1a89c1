import type {
  AckMessage,
  AlarmEventMessage,
  CfgMessage,
  CmdMessage,
  CommandVerb,
  DeviceType,
  EventMessage,
  OtaMessage,
  PositionEventMessage,
  TeleMessage,
  UpTopic,
} from '#contract/telemetry.ts';
import { typicalDevice } from './arguments.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { createDevice, type DeviceOptions } from './device.ts';
import { type DeviceConfig, healthy, isFeeder } from './model.ts';
import { sceneById } from './scenes.ts';

/** Wednesday, 10:00 in Shanghai. */
export const workbenchStart = Date.parse('2026-06-10T02:00:00Z');

/** A device without a network: tests advance its clock and read its messages. */
export const workbench = (
  type: DeviceType,
  options: Partial<Omit<DeviceOptions, 'config'>> & { config?: Partial<DeviceConfig>; lines?: number } = {},
) => {
  const clock: ManualClock = (options.clock as ManualClock | undefined) ?? manualClock(workbenchStart);
  const config = {
    ...typicalDevice('SIM00001', 'secret', type, options.lines ?? 1, 'office', 15),
    ...options.config,
  };
  const device = createDevice({ seed: 1, clock, ...options, config });
  const said: { topic: UpTopic; payload: string; retain: boolean; at: number }[] = [];
  const all = <Message>(topic: UpTopic) =>
    said.filter((each) => each.topic === topic).map((each) => JSON.parse(each.payload) as Message);
  let no = 0;
  const bench = {
    clock,
    device,
    said,
    connect(isConfirmed: () => boolean = () => true) {
      device.connected(async (message) => {
        const topic = message.topic.split('/').slice(3).join('/') as UpTopic;
        said.push({ topic, payload: message.payload, retain: message.retain, at: clock.now() });
        return isConfirmed();
      });
    },
    run(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        clock.advance(1000);
        device.step();
      }
    },
    /** Plays a scene for some seconds, or until the test asks it to stop. */
    play(id: string, seconds: number, speed?: number, until: () => boolean = () => false): number {
      const scene = sceneById(id)!;
      const site = { feeder: isFeeder(config.lines[0]!, type) };
      for (let elapsed = 0; elapsed < seconds; elapsed++) {
        const isOver = scene.seconds !== undefined && elapsed >= scene.seconds;
        device.setFaults(
          isOver ? healthy : { line: 1, ...scene.faults(elapsed, speed ?? scene.demoSpeed, site) },
        );
        bench.run(1);
        if (until()) return elapsed + 1;
      }
      return seconds;
    },
    command(cmd: CommandVerb, detail: Partial<CmdMessage> = {}): CmdMessage {
      const now = clock.now();
      const command: CmdMessage = {
        v: 1,
        id: `c${++no}`,
        no,
        t: now,
        exp: now + 30_000,
        cmd,
        n: 1,
        by: 'u:1',
        batch: null,
        ...detail,
      };
      device.receive('cmd', JSON.stringify(command));
      return command;
    },
    events: () => all<EventMessage>('event'),
    alarms: () =>
      all<EventMessage>('event').filter((each): each is AlarmEventMessage => each.kind === 'alarm'),
    positions: () =>
      all<EventMessage>('event').filter((each): each is PositionEventMessage => each.kind === 'pos'),
    acks: () => all<AckMessage>('ack'),
    tele: () => all<TeleMessage>('tele'),
    configs: () => all<CfgMessage>('cfg'),
    otas: () => all<OtaMessage>('ota'),
    lastTele: () => all<TeleMessage>('tele').at(-1)!,
    line: () => device.core.lines[0]!,
  };
  return bench;
};
