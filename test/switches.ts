import type { AckMessage, CmdMessage, DeviceType } from '#contract/telemetry.ts';
import { lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { AlarmChange, StoredReading } from '#server/core/bus.ts';
import type { GroupFinding } from '#server/core/group.ts';
import { makeDevice } from './factories.ts';
import type { World } from './world.ts';

/** The values of a line's reading by channel name; unnamed channels are not measured. */
export const channelsOf = (type: DeviceType, values: Record<string, number | null>): (number | null)[] =>
  lineChannels[type].map((name) => values[name] ?? null);

export const healthy = { 'U.a': 230, 'I.a': 0, 'P.t': 0, IL: 5, 'T.m': 30 };

/** Writes a line's newest row as ingest does. */
export const observe = (
  db: Db,
  lineId: number,
  at: number,
  seen: {
    position?: 0 | 1 | null;
    trip?: number | null;
    lock?: number | null;
    values?: Record<string, number | null>;
    type?: DeviceType;
    boot?: number;
    seq?: number;
    /** Facts that this report lacks, with the values of an older one. */
    facts?: Partial<Record<'position_at' | 'trip_at' | 'lock_at', Date | null>> &
      Partial<Record<`${'position' | 'trip' | 'lock'}_${'boot' | 'seq'}`, number>>;
  } = {},
) => {
  const row = {
    at: new Date(at),
    received_at: new Date(at),
    boot: seen.boot ?? 1,
    seq: seen.seq ?? 1,
    position: seen.position === undefined ? 0 : seen.position,
    position_at: new Date(at),
    position_boot: seen.boot ?? 1,
    position_seq: seen.seq ?? 1,
    trip: seen.trip === undefined ? 0 : seen.trip,
    trip_at: new Date(at),
    trip_boot: seen.boot ?? 1,
    trip_seq: seen.seq ?? 1,
    lock: seen.lock === undefined ? 0 : seen.lock,
    lock_at: new Date(at),
    lock_boot: seen.boot ?? 1,
    lock_seq: seen.seq ?? 1,
    ...seen.facts,
    channels: channelsOf(seen.type ?? 3, seen.values ?? healthy),
  };
  return db
    .insertInto('line_latest')
    .values({
      line_id: lineId,
      energy: null,
      commanded: null,
      commanded_at: null,
      commanded_by: null,
      acknowledged: null,
      acknowledged_at: null,
      ...row,
    })
    .onConflict((conflict) => conflict.column('line_id').doUpdateSet(row))
    .execute();
};

/** A single-phase switch that is online and reports an open, healthy line. */
export const makeSwitch = async (world: Pick<World, 'db' | 'clock'>, project_id: number, lines = 1) => {
  const now = world.clock.now();
  const device = await makeDevice(world.db, {
    project_id,
    lines,
    online: true,
    last_seen: new Date(now),
  });
  for (const line of device.lines) await observe(world.db, line.id, now);
  return { ...device, line: device.lines[0]! };
};
export type Switch = Awaited<ReturnType<typeof makeSwitch>>;

/** The link to the devices: keeps published messages, or refuses them. */
export const fakeLink = () => {
  const published: { deviceNumber: string; command: CmdMessage }[] = [];
  const link = {
    published,
    /**
     * Only the messages to this device, because a message to the device of an earlier test may still arrive.
     */
    publishedTo: (device: { number: string }) =>
      published.filter((one) => one.deviceNumber === device.number),
    /** What happens to a message instead of its delivery. */
    trouble: null as null | (() => Promise<void>),
    async publishCommand(deviceNumber: string, command: CmdMessage): Promise<void> {
      if (link.trouble) await link.trouble();
      published.push({ deviceNumber, command });
    },
  };
  return link;
};
export type FakeLink = ReturnType<typeof fakeLink>;

export const fakeFindings = () => {
  const findings = {
    raised: [] as GroupFinding[],
    trouble: null as null | Error,
    /** Runs before the finding is on disk. */
    meanwhile: null as null | (() => Promise<unknown>),
    async raise(finding: GroupFinding): Promise<void> {
      if (findings.trouble) throw findings.trouble;
      await findings.meanwhile?.();
      findings.raised.push(finding);
    },
  };
  return findings;
};

/** Emits a device's answer as the link does, after its row is written. */
export const answer = async (
  world: Pick<World, 'db' | 'bus' | 'clock'>,
  device: { id: number },
  commandId: string,
  given: Partial<AckMessage> & Pick<AckMessage, 'st'>,
) => {
  const receivedAt = world.clock.now();
  const ack: AckMessage = { v: 1, id: commandId, boot: 1, seq: 100, t: receivedAt, ...given };
  await world.db
    .insertInto('command_answers')
    .values({
      command_id: commandId,
      device_id: device.id,
      received_at: new Date(receivedAt),
      ack: JSON.stringify(ack),
    })
    .execute();
  world.bus.emit('device.ack', { deviceId: device.id, receivedAt, ack });
};

/** Emits a commanded move as the link does, after its row is written. */
export const moveBy = async (
  world: Pick<World, 'db' | 'bus' | 'clock'>,
  device: { id: number },
  line: { id: number },
  commandId: string,
  seen: { at?: number; position: 0 | 1; boot?: number; seq: number },
) => {
  const receivedAt = world.clock.now();
  const { at = receivedAt, position, boot = 1, seq } = seen;
  await world.db
    .insertInto('position_events')
    .values({
      line_id: line.id,
      at: new Date(at),
      boot,
      seq,
      position,
      cause: 'cmd',
      code: null,
      command_id: commandId,
      received_at: new Date(receivedAt),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  world.bus.emit('position.changed', [
    { lineId: line.id, deviceId: device.id, at, boot, seq, position, cause: 'cmd', code: null, commandId },
  ]);
};

/** Emits a reading as the link does, after its row is written. */
export const report = async (
  world: Pick<World, 'db' | 'bus' | 'clock'>,
  device: { id: number },
  line: { id: number; n: number },
  seen: {
    at?: number;
    position: 0 | 1 | null;
    trip?: number;
    values?: Record<string, number | null>;
    boot?: number;
    seq?: number;
    latest?: boolean;
  },
) => {
  const at = seen.at ?? world.clock.now();
  const values = seen.values ?? healthy;
  const reading: StoredReading = {
    lineId: line.id,
    deviceId: device.id,
    n: line.n,
    at,
    receivedAt: world.clock.now(),
    boot: seen.boot ?? 1,
    seq: seen.seq ?? 101,
    position: seen.position,
    trip: seen.trip ?? 0,
    lock: 0,
    energy: null,
    channels: channelsOf(3, values),
    latest: seen.latest ?? true,
  };
  if (reading.latest)
    await observe(world.db, line.id, at, {
      position: seen.position,
      trip: reading.trip,
      values,
      boot: reading.boot,
      seq: reading.seq,
    });
  world.bus.emit('readings.stored', [reading]);
};

/** The alarm that a device's clock is off by more than a minute. */
export const clockAlarm = (
  device: { id: number; deviceLine: { id: number } },
  projectId: number,
  alarmId: number,
): AlarmChange => ({
  lineId: device.deviceLine.id,
  alarmId,
  deviceId: device.id,
  projectId,
  partId: null,
  code: 803,
  level: 2,
  severity: 4,
  kind: 'raised',
  quiet: false,
});
