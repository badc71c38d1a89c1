import mqtt from 'mqtt';
import pino from 'pino';
import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import { makeAhead } from '#database/partitions.ts';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import { listenForAlarms } from '#server/alarms/listen.ts';
import { deviceRoutes } from '#server/devices/devices.routes.ts';
import { lineRoutes } from '#server/lines/lines.routes.ts';
import { type Link, startLink } from '#server/link/link.ts';
import { maintenanceRoutes } from '#server/maintenance/maintenance.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { settingsRoutes } from '#server/settings/settings.routes.ts';
import { makeDevice, makeProject } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { type Control, createControl } from './commands.ts';
import { controlRoutes } from './control.routes.ts';

export interface SwitchWorld extends World {
  control: Control;
  project: number;
  /** The port of the broker. */
  port: number;
  /** A switch that is connected and reports an open, healthy line. */
  connect(): Promise<Connected>;
}

/** Remote control with the real link, broker and alarm rules: the devices' messages decide. */
export const createSwitchWorld = async (): Promise<SwitchWorld> => {
  let bind: Control | undefined;
  let link: Link | undefined;
  const log = pino({ level: 'silent' });
  const world = await createWorld((serve, parts) => {
    bind = createControl({
      ...parts,
      link: { publishCommand: (number, command) => link!.deviceLink.publishCommand(number, command) },
      raiseFinding: (finding) => link!.record(finding),
      log,
    });
    controlRoutes(serve, { control: bind, provePassword });
    deviceRoutes(serve);
    maintenanceRoutes(serve);
    settingsRoutes(serve, new Map());
    lineRoutes(serve, { provePassword });
  });
  const control = bind!;
  const { pool, bus, clock } = world;
  await makeAhead(pool, clock.now());
  const judge = createAlarmRecorder();
  await judge.load(pool);
  const onError = (error: unknown) => {
    throw error;
  };
  const stopListening = listenForAlarms({ bus, pool, clock, recorder: judge, onError });
  link = await startLink({ pool, bus, clock, judge, log, config: { mqttHost: '127.0.0.1', mqttPort: 0 } });
  await control.start();
  const project = (await makeProject(world.db)).id;
  return {
    ...world,
    control,
    project,
    port: link.port,
    connect: () => connectSwitch(world, project, link.port),
    async close() {
      await control.stop();
      await stopListening();
      await link.stop();
      await world.close();
    },
  };
};

const connectSwitch = async (world: World, project: number, port: number) => {
  const device = await makeDevice(world.db, { project_id: project, lines: 2 });
  const { number, secret } = device;
  const open = () =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      ...{ clientId: number, username: number, password: secret, reconnectPeriod: 0 },
    });
  let client = await open();
  let seq = 0;
  const send = (topic: UpTopic, message: object) => {
    seq += 1;
    const text = JSON.stringify({ v: 1, boot: 1, seq, t: world.clock.now(), ...message });
    return client.publishAsync(topicOf(number, topic), text, { qos: 1 });
  };
  /** The report of a healthy line, with the given changes. */
  const reading = (line: object = {}, envelope: object = {}) =>
    send('tele', {
      ...envelope,
      ln: [{ n: 1, sw: 0, trip: 0, lock: 0, U: { a: 230 }, I: { a: 0 }, P: { t: 0 }, ...line }],
    });
  await reading();
  return {
    device,
    line: device.lines[0]!,
    send,
    reading,
    /** From now on commands reach it. */
    listens: () => client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 }),
    leave: () => void client.end(true),
    async reconnect() {
      client.end(true);
      client = await open();
    },
  };
};
export type Connected = Awaited<ReturnType<typeof connectSwitch>>;

/** Why the line cannot be closed now; null: it can be. */
export const refusalOf = async (operator: Client, { device, line }: Connected): Promise<string | null> => {
  const { data } = await operator.call('/device_do/get_device_do_info', { device_id: device.id });
  const closing = data.actions.find(
    (each: { action: string; line_id: number }) => each.action === 'close' && each.line_id === line.id,
  );
  return closing.reason;
};
