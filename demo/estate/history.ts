import type pg from 'pg';
import { switchingTypes } from '#contract/telemetry.ts';
import type { KeptReadings } from './arcs.ts';
import type { Rollup } from './buckets.ts';
import { type CommandRow, historyBoot, type Switchings } from './commands.ts';
import { CopyRows } from './copy.ts';
import type { FurnishedDevice } from './devices.ts';
import { LoadSums } from './load-sums.ts';
import { randomOf } from './random.ts';
import { type LineEnd, type Sink, uploadSeconds, walkDevice } from './walk.ts';

const receiveDelayMs = 60;

const readingColumns = [
  'at',
  'energy',
  'line_id',
  'boot',
  'seq',
  'rx_ms',
  'position',
  'trip',
  'lock',
  'channels',
];
const rollupColumns = [
  'line_id',
  'bucket',
  'samples',
  'covered_s',
  'energy_kwh',
  'energy_flags',
  'power_min',
  'power_avg',
  'power_max',
  'current_max',
  'voltage_min',
  'voltage_max',
  'leakage_max',
  'temperature_max',
  'energy_first',
  'energy_last',
  'first_at',
  'last_at',
];
const addRollup = (into: CopyRows, lineId: number, row: Rollup): void => {
  into
    .row(rollupColumns.length)
    .int(lineId)
    .instant(row.bucket)
    .int(row.samples)
    .real(row.coveredSeconds)
    .double(row.energy)
    .small(0)
    .real(row.powerMin)
    .real(row.powerSum / row.samples)
    .real(row.powerMax)
    .real(row.currentMax)
    .real(row.voltageMin)
    .real(row.voltageMax)
    .real(row.leakageMax)
    .real(row.temperatureMax)
    .double(row.energyFirst)
    .double(row.energyLast)
    .instant(row.firstAt)
    .instant(row.lastAt);
};

/** The time until which history is written: the last contact of an offline device, else now. */
const endOf = (device: FurnishedDevice, now: number) => device.silentSince ?? now;

/** Instants on all days for which readings and minutes need partitions. */
export const historyInstants = (devices: readonly FurnishedDevice[], now: number): number[] => {
  const hourMs = 3_600_000;
  const ends = new Set(devices.map((device) => endOf(device, now)));
  return [...ends].flatMap((end) => [end - 26 * hourMs, end - 13 * hourMs, end]);
};

/** Writes the history of a batch of devices, and the latest state of each line. */
export const writeHistory = async (
  client: pg.ClientBase,
  devices: readonly FurnishedDevice[],
  switchings: Pick<Switchings, 'open'>,
  lastCommands: ReadonlyMap<number, CommandRow>,
  given: { now: number; seed: string | number; kept: KeptReadings },
): Promise<void> => {
  const { now, seed, kept } = given;
  const boot = historyBoot(now);
  const readings = new CopyRows();
  const minutes = new CopyRows();
  const quarters = new CopyRows();
  const hours = new CopyRows();
  const days = new CopyRows();
  const months = new CopyRows();
  const load = new LoadSums(now);
  const ends: { device: FurnishedDevice; lines: LineEnd[] }[] = [];
  for (const device of devices) {
    const random = randomOf(seed, `history/${device.number}`);
    const offsetMs = Math.floor(random.between(0, uploadSeconds * 1000));
    const switchable = switchingTypes.includes(device.type);
    const sink: Sink = {
      reading(lineId, at, seq, register, closed, channels) {
        kept.draw(lineId, at, channels);
        readings
          .row(readingColumns.length)
          .instant(at)
          .double(register)
          .int(lineId)
          .int(boot | 0)
          .int(seq);
        readings
          .int(receiveDelayMs)
          .small(switchable ? Number(closed) : null)
          .small(switchable ? 0 : null)
          .small(0)
          .reals(channels);
      },
      minute: (lineId, row) => addRollup(minutes, lineId, row),
      quarter: (lineId, row) => addRollup(quarters, lineId, row),
      hour: (lineId, row) => addRollup(hours, lineId, row),
      day: (lineId, row) => addRollup(days, lineId, row),
      month: (lineId, row) => addRollup(months, lineId, row),
      load(at, spanMs, coveredSeconds, energy) {
        load.add(0, at, spanMs, coveredSeconds, energy);
        if (device.partId !== null) load.add(device.partId, at, spanMs, coveredSeconds, energy);
      },
    };
    const lines = device.lines.map((line) => ({
      lineId: line.id,
      nature: line.nature,
      profile: line.profile,
      open: switchings.open.get(line.id) ?? [],
      register: Math.floor(random.between(500, 40_000) * 100) / 100,
    }));
    ends.push({
      device,
      lines: walkDevice(
        lines,
        { now, end: endOf(device, now), offsetMs, keepsRaw: kept.keeps },
        random,
        sink,
      ),
    });
  }
  await readings.send(client, 'readings', readingColumns);
  await minutes.send(client, 'rollup_minute', rollupColumns);
  await quarters.send(client, 'rollup_quarter', rollupColumns);
  await hours.send(client, 'rollup_hour', rollupColumns);
  await days.send(client, 'rollup_day', rollupColumns);
  await months.send(client, 'rollup_month', rollupColumns);
  const projectId = devices[0]?.projectId;
  if (projectId) await load.send(client, projectId);
  await writeLatest(client, ends, lastCommands, boot);
};

const writeLatest = async (
  client: pg.ClientBase,
  ends: readonly { device: FurnishedDevice; lines: LineEnd[] }[],
  lastCommands: ReadonlyMap<number, CommandRow>,
  boot: number,
): Promise<void> => {
  const latest = new CopyRows();
  const columns = [
    'line_id',
    'at',
    'received_at',
    'boot',
    'seq',
    'position',
    'position_at',
    'trip',
    'lock',
    'energy',
    'channels',
  ];
  for (const { device, lines } of ends) {
    const switchable = switchingTypes.includes(device.type);
    for (const end of lines) {
      latest
        .row(columns.length)
        .int(end.lineId)
        .instant(end.at)
        .instant(end.at + receiveDelayMs)
        .big(boot);
      latest.big(end.seq).small(switchable ? Number(end.closed) : null);
      if (switchable) latest.instant(end.at).small(0);
      else latest.none().none();
      latest.small(0).double(end.register).reals(end.channels);
    }
  }
  await latest.send(client, 'line_latest', columns);
  for (const command of lastCommands.values())
    await client.query(
      `update line_latest set commanded = $2, commanded_at = $3, commanded_by = $4, acknowledged = $5, acknowledged_at = $6
       where line_id = $1`,
      [
        command.line_id,
        command.verb === 'close' ? 1 : 0,
        command.created_at,
        command.operator,
        command.acknowledged_at === null ? null : command.verb === 'close' ? 1 : 0,
        command.acknowledged_at,
      ],
    );
  for (const { device, lines } of ends) {
    const last = lines[0]!;
    await client.query(
      `insert into device_state (device_id, online, online_changed_at, last_seen, rssi, boot, seq) values ($1, false, $2, $3, $4, $5, $6)`,
      [
        device.id,
        new Date(last.at + 45_000),
        new Date(last.at + receiveDelayMs),
        device.signal,
        boot,
        last.seq,
      ],
    );
  }
};
