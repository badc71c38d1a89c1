import pino from 'pino';
import type { CfgMessage, CfgSetMessage, DeviceType } from '#contract/telemetry.ts';
import { createConfigSender } from '#server/control/config-message.ts';
import { deviceJobRoutes } from '#server/device-jobs/jobs.routes.ts';
import { jobLive } from '#server/device-jobs/live.ts';
import { createDeviceJobs, type DeviceJobs } from '#server/device-jobs/run.ts';
import { settingsAct } from '#server/device-settings/jobs.ts';
import { createSettingsSender, type SettingsSender } from '#server/device-settings/push.ts';
import { createReclosingRest } from '#server/device-settings/reclosing.ts';
import { deviceSettingsRoutes } from '#server/device-settings/settings.routes.ts';
import { deviceActs } from '#server/devices/acts.ts';
import { deviceRoutes } from '#server/devices/devices.routes.ts';
import { lineRoutes } from '#server/lines/lines.routes.ts';
import { writeConfigs } from '#server/link/reported.ts';
import { liveRoutes } from '#server/live/listen.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { uploadRoutes } from '#server/uploads/uploads.routes.ts';
import { typicalDevice } from '#simulator/arguments.ts';
import { createDevice } from '#simulator/device.ts';
import { makeDevice } from './factories.ts';
import { createWorld, type World, type WorldParts } from './world.ts';

type Simulated = ReturnType<typeof createDevice>;
export interface SettableDevice {
  id: number;
  number: string;
  lines: { id: number; n: number }[];
  simulated: Simulated;
  /** Configurations that reached it. */
  received: CfgSetMessage[];
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** True: the device drops every configuration message, so that it never answers. */
  deaf: boolean;
}
export interface SettingsWorld extends World {
  sender(): SettingsSender;
  jobs(): DeviceJobs;
  /** Kills the server and starts it again on the same database. */
  restart(): Promise<void>;
  device(projectId: number, type?: DeviceType, lines?: number): Promise<SettableDevice>;
  close(): Promise<void>;
}

/**
 * The test world with settings; the simulator's devices receive configurations directly, without a broker.
 */
export const createSettingsWorld = async (): Promise<SettingsWorld> => {
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const devices = new Map<string, SettableDevice>();
  let parts: WorldParts | undefined;
  const world = await createWorld((serve, given) => {
    parts = given;
    deviceRoutes(serve);
    lineRoutes(serve, { provePassword });
    uploadRoutes(serve);
    deviceSettingsRoutes(serve, { provePassword });
    deviceJobRoutes(serve);
    jobLive(given);
    liveRoutes(serve, given.live, given.clock);
  });
  const link = {
    publishConfig: async (number: string, message: CfgSetMessage) => {
      const device = devices.get(number);
      if (!device) throw new Error('no live session');
      device.received.push(message);
      if (!device.deaf) device.simulated.receive('cfg/set', JSON.stringify(message));
    },
  };
  const start = async () => {
    const { db, bus, clock } = parts!;
    const sender = createConfigSender({ db, bus, clock, link, log });
    sender.start();
    const settings = createSettingsSender({ db, bus, clock, sender, log });
    await settings.start();
    const reclosing = createReclosingRest({ db, bus, clock, log });
    reclosing.start();
    const acts = { ...deviceActs, settings: settingsAct };
    const jobs = createDeviceJobs({ db, bus, clock, log, acts });
    jobs.start();
    return { sender, settings, reclosing, jobs };
  };
  let running = await start();
  const stop = async () => {
    await running.jobs.stop();
    await running.reclosing.stop();
    await running.settings.stop();
    await running.sender.stop();
  };

  /** The link's handling of reports, in order of arrival. */
  let reports: Promise<void> = Promise.resolve();
  const report = (deviceId: number, payload: string) => {
    reports = reports.then(async () => {
      const message = JSON.parse(payload) as CfgMessage;
      const client = await world.pool.connect();
      const raw = { payload: Buffer.from(payload), receivedAt: world.clock.now() };
      await writeConfigs(client, [{ device: { id: deviceId }, message, raw } as never]);
      client.release();
      world.bus.emit('device.config', { deviceId, config: message });
    });
  };

  return {
    ...world,
    sender: () => running.settings,
    jobs: () => running.jobs,
    async restart() {
      await stop();
      running = await start();
    },
    async device(projectId, type = 3, lines = 2) {
      const made = await makeDevice(world.db, { project_id: projectId, type, lines });
      const simulated = createDevice({
        config: typicalDevice(made.number, made.secret, type, lines, 'office', 60),
        seed: 1,
        clock: world.clock,
      });
      const setOnline = async (online: boolean) => {
        await world.db
          .updateTable('device_state')
          .set({ online, last_seen: new Date(world.clock.now()) })
          .where('device_id', '=', made.id)
          .execute();
        world.bus.emit('device.online', { deviceId: made.id, online, at: world.clock.now(), why: 'test' });
      };
      const device: SettableDevice = {
        id: made.id,
        number: made.number,
        lines: made.lines,
        simulated,
        received: [],
        deaf: false,
        async connect() {
          devices.set(made.number, device);
          await setOnline(true);
          simulated.connected(async (message) => {
            if (message.topic.endsWith('/cfg')) report(made.id, message.payload);
            return true;
          });
          await reports;
        },
        async disconnect() {
          simulated.disconnected();
          devices.delete(made.number);
          await setOnline(false);
        },
      };
      return device;
    },
    async close() {
      await stop();
      await reports;
      await world.close();
    },
  };
};
