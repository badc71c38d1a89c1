import type { Handled } from './alarm-rows.ts';
import { iso } from './commands.ts';
import type { FurnishedDevice } from './devices.ts';
import type { FurnishedPlace } from './people.ts';
import { randomOf } from './random.ts';

const dayMs = 86_400_000;
const routine = [
  ['季度巡检：清洁配电箱，紧固端子，测试漏电保护', '各项正常', '下季度继续巡检'],
  ['红外测温，核对各回路负荷', '温度均在限值内', '关注 3 号回路负荷增长'],
  ['核对断路器标识与回路图，补贴标签', '标识齐全', ''],
] as const;
const repairs = [
  ['更换老化导线，重新压接端子', '接线端子发热', '复测温度正常', '一个月后复查'],
  ['检查漏电回路，更换受潮插座', '剩余电流超限', '绝缘测试合格', '建议做防潮处理'],
  ['停电检查线路并清理积尘', '设备报警', '恢复送电，读数正常', ''],
] as const;

interface LinkedAlarm {
  id: number;
  work_order: string;
  code: number;
}
/**
 * Visits to the projects in the last 60 days: one or two routine visits each, and some after handled alarms.
 */
export const maintenanceRows = (
  places: readonly FurnishedPlace[],
  devices: readonly FurnishedDevice[],
  { alarms, handled }: { alarms: readonly object[]; handled: readonly Handled[] },
  { now, seed }: { now: number; seed: string | number },
): object[] => {
  const random = randomOf(seed, 'maintenance');
  const byId = new Map((alarms as readonly LinkedAlarm[]).map((alarm) => [alarm.id, alarm]));
  const row = (
    device: FurnishedDevice,
    author: Handled['user'],
    at: number,
    kind: string,
    [content, fault, result, suggestion]: readonly string[],
    alarm: LinkedAlarm | undefined,
  ) => ({
    kind,
    project_id: device.projectId,
    part_id: device.partId,
    device_id: device.id,
    device_number: device.number,
    device_name: device.name,
    address: device.address,
    maintenance_time: iso(at),
    handler_name: author.name,
    handler_phone: author.mobile || '13900000499',
    content,
    fault_content: fault,
    result,
    suggestion,
    before_images: [],
    after_images: [],
    lines: device.lines.slice(0, 1).map(({ id, n, name }) => ({ line_id: id, n, name })),
    alarms: alarm ? [{ id: alarm.id, work_order: alarm.work_order, typeNumber: alarm.code }] : [],
    author_id: author.id,
    created_at: iso(at + 3_600_000),
  });
  const rows: { at: number; row: object }[] = [];
  for (const place of places) {
    const own = devices.filter(({ projectId }) => projectId === place.id);
    const visits = handled.filter(({ projectId }) => projectId === place.id);
    const author = visits[0]?.user;
    if (!author || own.length === 0) continue;
    for (const daysAgo of [random.between(5, 25), random.between(32, 55)]) {
      const at = Math.round(now - daysAgo * dayMs);
      const [content, result, suggestion] = random.pick(routine);
      rows.push({
        at,
        row: row(random.pick(own), author, at, 'routine', [content, '', result, suggestion], undefined),
      });
    }
    for (const visit of visits.slice(0, 3)) {
      const device = own.find(({ id }) => id === visit.deviceId);
      if (!device) continue;
      const kind = random.chance(0.5) ? 'repair' : 'inspection';
      rows.push({
        at: visit.at,
        row: row(device, visit.user, visit.at, kind, random.pick(repairs), byId.get(visit.alarmId)),
      });
    }
  }
  return rows.sort((a, b) => a.at - b.at).map(({ row: each }) => ({ ...each, revision: 1 }));
};
