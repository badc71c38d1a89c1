/** Lines and readings as stored, in the shape in which they are judged. */
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
/** Columns of a `StoredLine`, and the joins to `lines l` that they need. Thresholds are laid over each other as the link does it. */
export const storedLine = {
  columns: `l.id as line_id, l.device_id, l.n, d.type, l.rated_current, l.poles, l.switchable, p.nominal_voltage,
       (coalesce(every.thresholds, '{}') || coalesce(own.thresholds, '{}') || coalesce(whole.thresholds, '{}')
         || l.thresholds)::text as thresholds`,
  joins: `join devices d on d.id = l.device_id
       left join projects p on p.id = d.project_id
       left join lines whole on whole.device_id = d.id and whole.n = 0
       left join default_thresholds every on every.project_id = 0 and every.device_type = d.type
       left join default_thresholds own on own.project_id = d.project_id and own.device_type = d.type`,
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
  nominalVoltage: row.nominal_voltage ?? 220,
  thresholds: JSON.parse(row.thresholds) as Record<string, number>,
  uploadSeconds: 60,
  ...(row.switchable && { contacts: { poles: row.poles } }),
});

const nothing = Buffer.alloc(0);
/** A stored reading as if it came now; energy and trips have memories of their own. */
export const judgedReading = (
  ref: LineRef,
  sample: Pick<GroupReading, 'at' | 'position' | 'channels' | 'faults'> & { trip?: number | null },
): GroupReading => ({
  line: ref,
  lineId: ref.lineId,
  deviceId: ref.deviceId,
  n: ref.n,
  receivedAt: sample.at,
  boot: 0,
  seq: 0,
  trip: null,
  lock: null,
  energy: null,
  latest: true,
  late: false,
  original: nothing,
  ...sample,
});
