import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import pino from 'pino';
import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import { makeAhead } from '#database/partitions.ts';
import { alarmTypeRoutes } from '#server/alarm-types/alarm-types.routes.ts';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import { createSurvey, type Survey } from '#server/alarms/device-health.ts';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import { listenForAlarms } from '#server/alarms/listen.ts';
import { dashboardRoutes } from '#server/dashboard/dashboard.routes.ts';
import { type Link, startLink } from '#server/link/link.ts';
import { listenForMessages } from '#server/messages/listen.ts';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { noticeRoutes } from '#server/notices/notices.routes.ts';
import { createNotices, type Notices } from '#server/notices/worker.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { testVault } from './vault.ts';
import { createWorld, type World } from './world.ts';

interface Named {
  id: number;
  number: string;
  secret: string;
}
export interface AlarmWorld extends World {
  notices: Notices;
  survey: Survey;
  /** Records a server's finding about a line; resolves when it is on disk. */
  record: Link['record'];
  /** Kills the server and starts it again on the same database. */
  restart(): Promise<void>;
  connect(device: Named, options?: IClientOptions): Promise<MqttClient>;
  client(device: Named): MqttClient;
  /** Closes every connection. */
  leave(): void;
  /** Publishes a message of a connected device; resolves with its PUBACK. */
  publish(device: Named, topic: UpTopic, message: Record<string, unknown>): Promise<unknown>;
  /** A reading of line 1, now. */
  report(device: Named, values?: Record<string, unknown>): Promise<unknown>;
}

/** A test world with everything from a device's message to a user's notice. */
export const createAlarmWorld = async (): Promise<AlarmWorld> => {
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const onError = (error: unknown) => log.error(error);
  let notices: Notices | undefined;
  const world = await createWorld((serve, parts) => {
    notices = createNotices({ ...parts, log, vault: testVault });
    noticeRoutes(serve, { notices, vault: testVault });
    alarmRoutes(serve);
    alarmTypeRoutes(serve, { provePassword });
    messageRoutes(serve);
    dashboardRoutes(serve);
  });
  const { db, pool, bus, clock } = world;
  await makeAhead(pool, clock.now());
  const clients = new Map<number, MqttClient>();
  const stopMessages = listenForMessages({ db, bus, clock, onError });
  const open = async () => {
    const recorder = createAlarmRecorder();
    await recorder.load(pool);
    const stopListening = listenForAlarms({ bus, pool, clock, recorder, onError });
    const config = { mqttHost: '127.0.0.1', mqttPort: 0 };
    const link: Link = await startLink({ pool, bus, clock, judge: recorder, log, config });
    const survey = createSurvey({ db, clock, record: (finding) => link.record(finding), log });
    return { link, survey, stopListening };
  };
  let node = await open();
  const leave = () => {
    for (const client of clients.values()) client.end(true);
    clients.clear();
  };
  const stop = async () => {
    leave();
    await node.survey.stop();
    await node.link.stop();
    await node.stopListening();
  };
  await notices!.start();
  let seq = 0;
  const alarmWorld: AlarmWorld = {
    ...world,
    notices: notices!,
    get survey() {
      return node.survey;
    },
    record: (finding) => node.link.record(finding),
    leave,
    async restart() {
      await stop();
      node = await open();
    },
    async connect(device, options = {}) {
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${node.link.port}`, {
        clientId: device.number,
        username: device.number,
        password: device.secret,
        reconnectPeriod: 0,
        ...options,
      });
      clients.set(device.id, client);
      return client;
    },
    client: (device) => clients.get(device.id)!,
    publish: (device, topic, message) =>
      clients
        .get(device.id)!
        .publishAsync(
          topicOf(device.number, topic),
          JSON.stringify({ v: 1, boot: 1, seq: ++seq, t: clock.now(), ...message }),
          { qos: 1 },
        ),
    report: (device, values = {}) =>
      alarmWorld.publish(device, 'tele', {
        ln: [{ n: 1, sw: 1, U: { a: 220 }, I: { a: 5 }, IL: 3, ...values }],
      }),
    async close() {
      await notices!.stop();
      await stop();
      await stopMessages();
      await world.close();
    },
  };
  return alarmWorld;
};
