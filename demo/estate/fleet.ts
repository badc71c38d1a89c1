import { sql } from 'kysely';
import { type DeviceType, deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { FurnishedDevice } from './devices.ts';
import type { LoadProfile } from './load.ts';

/** Data of a simulated device itself; its secret comes from elsewhere. */
interface FleetDevice {
  number: string;
  type: DeviceType;
  lines: {
    n: number;
    ratedCurrent: number;
    switchable: boolean;
    /** kW in the hour of full load. */
    load: number;
    profile: LoadProfile;
    /** The last reported register, kWh: the simulation continues from there. */
    energy: number;
    position: 0 | 1;
    powerFactor: number;
    parameters: Record<string, number>;
  }[];
  nominalVoltage: number;
  /** Devices with the same key share supply and weather. */
  projectKey: string;
  tele_s: number;
  timeZone: string;
  /** Mean signal, dBm. */
  signal: number;
  model: string;
  firmware: string;
  enables: Record<string, boolean>;
}

interface Nature {
  signal: number;
  lines: { n: number; load: number; profile: LoadProfile; powerFactor: number }[];
}
/** Simulated devices by number. */
type Natures = Record<string, Nature>;
const key = 'demo.fleet';

/** Stores the properties of simulated devices that the directory does not have. */
export const rememberFleet = async (
  db: Db,
  devices: readonly FurnishedDevice[],
  now: number,
): Promise<void> => {
  const natures: Natures = Object.fromEntries(
    devices
      .filter((device) => device.silentSince === null)
      .map((device) => [
        device.number,
        {
          signal: device.signal,
          lines: device.lines.map(({ n, nature, profile }) => ({
            n,
            load: nature.watts / 1000,
            profile,
            powerFactor: nature.powerFactor,
          })),
        },
      ]),
  );
  await db
    .insertInto('settings')
    .values({ key, value: JSON.stringify(natures), updated_at: new Date(now) })
    .execute();
};

interface Row {
  number: string;
  type: number;
  model: string;
  firmware: string;
  net_ctrl: boolean;
  upload_seconds: number;
  project_id: number | null;
  nominal_voltage: number | null;
  time_zone: string | null;
  n: number;
  rated_current: number | null;
  switchable: boolean;
  thresholds: Record<string, number>;
  energy: number | null;
  position: 0 | 1 | null;
}

/** The simulated devices of the demo estate, as the database has them now. Empty without a demo estate. */
export const demoFleet = async (db: Db): Promise<FleetDevice[]> => {
  const stored = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  if (!stored) return [];
  const natures = stored.value as Natures;
  const { rows } = await sql<Row>`
    select d.number, d.type, d.model, d.firmware, d.net_ctrl, d.upload_seconds, d.project_id, p.nominal_voltage,
      p.time_zone, l.n, l.rated_current, l.switchable, l.thresholds, latest.energy, latest.position
    from devices d join lines l on l.device_id = d.id and l.n > 0
    left join projects p on p.id = d.project_id left join line_latest latest on latest.line_id = l.id
    where d.number = any(${Object.keys(natures)}::text[]) order by d.id, l.n`.execute(db);
  const fleet = new Map<string, FleetDevice>();
  for (const row of rows) {
    const nature = natures[row.number];
    const line = nature?.lines.find(({ n }) => n === row.n);
    const type = deviceTypes.find((each) => each === row.type);
    if (!nature || !line || !type) continue;
    const device = fleet.get(row.number) ?? {
      number: row.number,
      type,
      lines: [],
      nominalVoltage: row.nominal_voltage ?? 220,
      projectKey: row.project_id === null ? row.number : String(row.project_id),
      tele_s: row.upload_seconds,
      timeZone: row.time_zone ?? 'Asia/Shanghai',
      signal: nature.signal,
      model: row.model,
      firmware: row.firmware,
      enables: { net_ctrl: row.net_ctrl },
    };
    fleet.set(row.number, device);
    device.lines.push({
      ...line,
      ratedCurrent: row.rated_current ?? 40,
      switchable: row.switchable,
      energy: row.energy ?? 0,
      position: row.position ?? 1,
      parameters: row.thresholds,
    });
  }
  return [...fleet.values()];
};
