import dayjs from 'dayjs';
import type { MaintenanceRow } from '#contract/maintenance.ts';

export interface MaintenanceValues {
  project_id: number;
  device_id?: number;
  kind: MaintenanceRow['kind'];
  address: string;
  /** In the reader's local time. */
  maintenance_time: string;
  handler_name: string;
  handler_phone: string;
  content: string;
  fault_content: string;
  result: string;
  suggestion: string;
  before_images: string[];
  after_images: string[];
  line_ids: number[];
  alarm_ids: number[];
}
const kept = 'YYYY-MM-DDTHH:mm';

/** The call's body from the form's values; missing values are left out and marked by the call's schema. */
export const bodyOf = (values: Partial<MaintenanceValues>): object => {
  const { maintenance_time, device_id, ...rest } = values;
  return {
    ...rest,
    device_id: device_id ?? null,
    ...(maintenance_time ? { maintenance_time: dayjs(maintenance_time).toISOString() } : {}),
  };
};
export const valuesOf = ({ lines, alarms, device_id, ...record }: MaintenanceRow): MaintenanceValues => ({
  project_id: record.project_id,
  ...(device_id === null ? {} : { device_id }),
  kind: record.kind,
  address: record.address,
  maintenance_time: dayjs(record.maintenance_time).format(kept),
  handler_name: record.handler_name,
  handler_phone: record.handler_phone,
  content: record.content,
  fault_content: record.fault_content,
  result: record.result,
  suggestion: record.suggestion,
  before_images: record.before_images,
  after_images: record.after_images,
  line_ids: lines.map(({ line_id }) => line_id),
  alarm_ids: alarms.map(({ id }) => id),
});
export const startOf = (
  given: {
    project_id: number | undefined;
    device_id: number | undefined;
    alarm_id: number | undefined;
    line_id: number | undefined;
  },
  now: number,
): Partial<MaintenanceValues> => ({
  ...(given.project_id === undefined ? {} : { project_id: given.project_id }),
  ...(given.device_id === undefined ? {} : { device_id: given.device_id }),
  alarm_ids: given.alarm_id === undefined ? [] : [given.alarm_id],
  kind: given.alarm_id === undefined && given.line_id === undefined ? 'routine' : 'inspection',
  line_ids: given.line_id === undefined ? [] : [given.line_id],
  before_images: [],
  after_images: [],
  maintenance_time: dayjs(now).format(kept),
});
