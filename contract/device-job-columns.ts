import type { JobRowState } from './device-jobs.ts';
import { type Words, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';

/** A device of a job and its result. */
export interface JobDevice {
  readonly number: string;
  readonly state: JobRowState;
  readonly message: string | null;
}
const states: Readonly<Record<JobRowState, Words>> = {
  queued: words('排队中', 'in the queue', 'в очереди'),
  waiting: words('等待设备确认', 'waiting for the device', 'ждёт устройства'),
  done: words('已完成', 'done', 'выполнено'),
  applied: words('已确认', 'confirmed', 'подтверждено'),
  conflict: words('冲突', 'conflict', 'конфликт'),
  rejected: words('被拒绝', 'refused', 'отклонено'),
  superseded: words('已被后来的设置取代', 'replaced by a later request', 'заменено более поздним'),
  skipped: words('跳过', 'skipped', 'пропущено'),
  denied: words('无权限', 'denied', 'нет прав'),
  cancelled: words('已取消', 'cancelled', 'отменено'),
};

export const jobDeviceSheet: TableSheet<JobDevice> = {
  name: words('批量任务', 'Job', 'Задание'),
  columns: [
    { header: words('设备编号', 'Device number', 'Номер устройства'), cell: ({ number }) => number },
    { header: words('状态', 'State', 'Состояние'), cell: ({ state }, language) => states[state][language] },
    { header: words('说明', 'Reason', 'Причина'), cell: ({ message }) => message },
  ],
};
