import type { DeviceLink } from '#server/core/group.ts';
import type { Control } from '../control/control.commands.ts';
import { createConfigSender } from '../control/control.config.ts';
import { createSettingsSender } from '../device-settings/settings.send.ts';
import { listenForMessages } from '../messages/messages.listen.ts';
import { createNoticeUpkeep } from '../notices/notices.upkeep.ts';
import { createRollups } from '../rollups/rollups.part.ts';
import { createSessionUpkeep } from '../session/session.upkeep.ts';
import { createTagReviews } from '../tags/tags.reviews.ts';
import { createTimerCopies } from '../timers/timers.copies.ts';
import { createTimers } from '../timers/timers.schedule.ts';
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
  await begin(stack, 'timers', createTimers({ db, bus, clock, control, log }));
  await begin(stack, 'timer copies', createTimerCopies({ db, bus, clock, sender, log }));
  await begin(stack, 'tag reviews', createTagReviews({ db, bus, clock, log }));
  await begin(stack, 'session upkeep', createSessionUpkeep({ db, clock, log }));
  await begin(stack, 'upkeep of notices', createNoticeUpkeep({ db, clock, log, retentionDays }));
  await begin(stack, 'rollups', createRollups({ pool, clock, log, retentionDays }));
};
