import type pg from 'pg';
import type { Logger } from 'pino';
import { commandHazard } from '#contract/hazards.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { DeviceLink, GroupFinding, Judge } from '#server/core/group.ts';
import { EmbeddedBroker } from './broker.ts';
import type { Device } from './device.ts';
import { DeviceStates } from './device-state.ts';
import { Directory } from './directory.ts';
import { ExternalBroker } from './external.ts';
import { waitForOthers } from './group-write.ts';
import { HighWaterMarks } from './high-water-mark.ts';
import { Ingest } from './ingest.ts';
import type { Ingress } from './ingress.ts';
import { deviceLink } from './outbound.ts';
import { PartitionKeeper } from './partition-keeper.ts';
import { Presence } from './presence.ts';

export interface LinkConfig {
  mqttHost: string;
  mqttPort: number;
  /** An external MQTT 5 broker; unset: the embedded one. */
  mqttUrl?: string | undefined;
  tls?: { port: number; cert: string | Buffer; key: string | Buffer } | undefined;
}
interface LinkParts {
  pool: pg.Pool;
  bus: Bus;
  clock: Clock;
  judge: Judge;
  /** Loads the alarm engine's memory again, because another node accepted the messages until now. */
  takeOver?: () => Promise<void>;
  log: Logger;
  config: LinkConfig;
}
export interface LinkStats {
  messages: number;
  readings: number;
  events: number;
  duplicates: number;
  refused: number;
  strangers: number;
  groups: number;
  retries: number;
  acknowledged: number;
  acknowledgeMs: number;
  waiting: number;
  paused: boolean;
  connections: number;
  devices: number;
}
export interface Link {
  /** Port of the embedded broker; 0 with an external one. */
  readonly port: number;
  readonly deviceLink: DeviceLink;
  /** Whether messages to devices can be sent. */
  ready(): boolean;
  /** Judges and records another part's finding about a line; resolves when it is on disk. */
  record(finding: GroupFinding): Promise<void>;
  stats(): LinkStats;
  stop(): Promise<void>;
}

/**
 * Sends nothing with a hazard on a connection that the table does not know yet: the hand-over read the clock of the
 * former one. Decision 0556.
 */
const onNoted = (link: DeviceLink, directory: Directory, states: DeviceStates): DeviceLink => {
  const refuseBefore = (deviceNumber: string, isHazardous: (device: Device) => boolean): void => {
    const device = directory.get(deviceNumber);
    if (device && isHazardous(device) && !states.isNoted(device))
      throw new Error(`Device ${deviceNumber} connected just now`);
  };
  return {
    ...link,
    async publishCommand(deviceNumber, command) {
      refuseBefore(deviceNumber, ({ type }) => commandHazard(command.cmd, type) !== null);
      await link.publishCommand(deviceNumber, command);
    },
    async publishConfig(deviceNumber, config) {
      refuseBefore(deviceNumber, () => true);
      await link.publishConfig(deviceNumber, config);
    },
  };
};

/** Starts everything that uses MQTT. The partitions of today must exist: see `partitionUpkeep`. */
export const startLink = async ({
  pool,
  bus,
  clock,
  judge,
  takeOver,
  log,
  config,
}: LinkParts): Promise<Link> => {
  const now = () => clock.now();
  const onError = (error: unknown) => log.error({ error }, 'device link');
  const directory = new Directory(pool, bus, now, onError);
  const states = new DeviceStates(pool, clock, onError, (deviceId) =>
    bus.emit('device.changed', { deviceId, what: 'report' }),
  );
  states.loaded = () => directory.loaded();
  const partitions = new PartitionKeeper(pool);
  const ingress: Ingress = config.mqttUrl
    ? new ExternalBroker(config.mqttUrl, pool, directory, log, now)
    : new EmbeddedBroker(
        { host: config.mqttHost, port: config.mqttPort, tls: config.tls },
        directory,
        log,
        now,
      );
  const ingest = new Ingest({ pool, bus, judge, log, directory, states, partitions, ingress, now });
  const presence = new Presence(pool, clock, directory, ingest.enqueue, onError);
  const marks = new HighWaterMarks(clock, ingress);
  directory.onGone = (deviceNumber) => {
    ingress.disconnect(deviceNumber).catch(onError);
  };
  directory.onReset = (device) => {
    ingest.replaced(device, ingress.endsConnections);
    states.replaced(device);
    // The session began with the former secret.
    ingress.disconnect(device.number).catch(onError);
  };
  ingest.presence = presence;
  ingest.marks = marks;

  directory.start();
  await partitions.start();
  await ingest.start();
  await presence.start();
  states.start();
  marks.start();
  await ingress.start({
    message: (raw) => {
      states.lookAtClock();
      ingest.receive(raw);
    },
    session: (deviceNumber, online, at, why, address) => {
      const device = directory.get(deviceNumber);
      if (!device) return;
      if (address !== null) states.from(device, address);
      presence.change(device, online, at, why);
      if (online) states.restarted(device);
    },
    takeover: (deviceNumber) => {
      const device = directory.get(deviceNumber);
      if (device) states.takeover(device);
    },
    tooLarge: (deviceNumber, message) => {
      const device = directory.get(deviceNumber);
      if (!device) return;
      ingest.counts.refused += 1;
      states.refused(device, 'oversized', message);
    },
    reopened: () => ingest.heldUpUntil(now()),
    takeOver: () =>
      ingest.between(async () => {
        await waitForOthers(pool);
        await directory.renewAll();
        await takeOver?.();
      }),
  });
  return {
    get port() {
      return ingress.port;
    },
    deviceLink: onNoted(deviceLink(ingress), directory, states),
    ready: () => ingress.ready,
    record: (finding) => ingest.record(finding),
    stats: () => ({
      ...ingest.counts,
      waiting: ingest.waiting,
      paused: ingest.paused,
      connections: ingress.connections,
      devices: directory.size,
    }),
    async stop() {
      await ingress.stopReading();
      await presence.stop();
      await ingest.stop();
      marks.stop();
      await ingress.stop();
      await states.stop();
      directory.stop();
    },
  };
};
