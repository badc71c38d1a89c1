/** Lines and readings from the database, in the form that the engine judges. */
import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { GroupReading, LineRef } from '#server/core/group.ts';

export interface StoredLine {
  line_id: number;
  device_id: number;
  n: number;
  type: DeviceType;
  rated_current: number | null;
  nominal_voltage: number | null;
  poles: number;
  switchable: boolean;
  /** JSON. */
  thresholds: string;
}
/** Columns and joins of a `StoredLine`, for queries of `lines l`. */
export const storedLine = {
  columns: `l.id as line_id, l.device_id, l.n, d.type, l.rated_current, l.poles, l.switchable, p.nominal_voltage,
       e.thresholds::text as thresholds`,
  joins: `join devices d on d.id = l.device_id
       join effective_thresholds e on e.line_id = l.id
       left join projects p on p.id = d.project_id`,
};

export const lineRefOf = (row: StoredLine): LineRef => ({
  lineId: row.line_id,
  deviceId: row.device_id,
  deviceLineId: 0,
  deviceNumber: '',
  n: row.n,
  type: row.type,
  projectId: null,
  partId: null,
  ratedCurrent: row.rated_current,
  nominalVoltage: row.nominal_voltage ?? usualNominalVoltage,
  thresholds: JSON.parse(row.thresholds) as Record<string, number>,
  uploadSeconds: 60,
  ...(row.switchable && { contacts: { poles: row.poles } }),
});

const nothing = Buffer.alloc(0);
/** A stored reading in the form of a live one; energy and trips have separate memories. */
export const judgedReading = (
  ref: LineRef,
  {
    at,
    position,
    channels,
    faults,
    trip = null,
  }: Pick<GroupReading, 'at' | 'position' | 'channels' | 'faults'> & { trip?: number | null },
): GroupReading => ({
  line: ref,
  lineId: ref.lineId,
  deviceId: ref.deviceId,
  n: ref.n,
  at,
  receivedAt: at,
  boot: 0,
  seq: 0,
  position,
  trip,
  lock: null,
  energy: null,
  channels,
  faults,
  latest: true,
  late: false,
  original: nothing,
});
