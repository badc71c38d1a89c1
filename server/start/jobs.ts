import type { Control } from '#server/control/commands.ts';
import { createConfigSender } from '#server/control/config-message.ts';
import type { DeviceLink } from '#server/core/group.ts';
import { createDeviceJobs } from '#server/device-jobs/run.ts';
import { settingsAct } from '#server/device-settings/jobs.ts';
import { createSettingsSender } from '#server/device-settings/push.ts';
import { createTaggedSettings } from '#server/device-settings/under-tag.ts';
import { createSettingsUpkeep } from '#server/device-settings/upkeep.ts';
import { deviceActs } from '#server/devices/acts.ts';
import { listenForMessages } from '#server/messages/listen.ts';
import { createNoticeUpkeep } from '#server/notices/upkeep.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { createSessionUpkeep } from '#server/session/upkeep.ts';
import { createTagReviews } from '#server/tags/reviews.ts';
import { createTimerCopies } from '#server/timers/copies.ts';
import { createTimers } from '#server/timers/schedule.ts';
import { begin, type NodeParts, retentionDays } from './node.ts';

/** What runs by the clock or off a queue, on one node at a time or shared by several. */
export const beginJobs = async (
  { log, clock, stack, pool, db, bus }: NodeParts,
  link: DeviceLink,
  control: Pick<Control, 'request' | 'requestMany'>,
): Promise<void> => {
  stack.add(
    'messages',
    listenForMessages({ db, bus, clock, onError: (error) => log.error({ err: error }, 'messages') }),
  );
  const sender = createConfigSender({ db, bus, clock, link, log });
  await begin(stack, 'configurations', sender);
  await begin(stack, 'settings', createSettingsSender({ db, bus, clock, sender, log }));
  await begin(stack, 'settings under tags', createTaggedSettings({ db, bus, clock, log }));
  await begin(stack, 'settings upkeep', createSettingsUpkeep({ db, clock, log, retentionDays }));
  const acts = { ...deviceActs, settings: settingsAct };
  await begin(stack, 'device jobs', createDeviceJobs({ db, bus, clock, log, acts }));
  await begin(stack, 'timers', createTimers({ db, bus, clock, control, log }));
  await begin(stack, 'timer copies', createTimerCopies({ db, bus, clock, sender, log }));
  await begin(stack, 'tag reviews', createTagReviews({ db, bus, clock, log }));
  await begin(stack, 'session upkeep', createSessionUpkeep({ db, clock, log }));
  await begin(stack, 'upkeep of notices', createNoticeUpkeep({ db, clock, log, retentionDays }));
  await begin(stack, 'rollups', createRollups({ pool, clock, log, retentionDays }));
};
