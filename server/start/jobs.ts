import { trendCodes } from '#contract/alarm-traits.ts';
import { tidyPartitions } from '#database/partition-upkeep.ts';
import { alarmDaysWork } from '#server/alarm-statistics/day-pack.ts';
import { backlogWork } from '#server/alarms/backlog.ts';
import { backupWork, drillWork } from '#server/backups/planned.ts';
import type { Vault } from '#server/backups/vault.ts';
import type { Control } from '#server/control/commands.ts';
import { createConfigSender } from '#server/control/config-message.ts';
import type { DeviceLink } from '#server/core/group.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { forget } from '#server/core/retention.ts';
import { createScheduled, every, type Scheduled, type TimedWork } from '#server/core/scheduled.ts';
import { createDeviceJobs } from '#server/device-jobs/run.ts';
import { settingsAct } from '#server/device-settings/jobs.ts';
import { createSettingsSender } from '#server/device-settings/push.ts';
import { createReclosingRest } from '#server/device-settings/reclosing.ts';
import { settingUpkeep } from '#server/device-settings/upkeep.ts';
import { deviceActs } from '#server/devices/acts.ts';
import { healthWork } from '#server/health/watch.ts';
import { nominalVoltageWork } from '#server/lines/nominal-voltage.ts';
import type { Link } from '#server/link/link.ts';
import { listenForMessages } from '#server/messages/listen.ts';
import { createRollups, rollupWork } from '#server/rollups/worker.ts';
import { searchNamesJob } from '#server/search/names.ts';
import { createTagReviews } from '#server/tags/reviews.ts';
import { createTimerCopies } from '#server/timers/copies.ts';
import { createTimers } from '#server/timers/schedule.ts';
import { trendWork } from '#server/trends/watch.ts';
import { unusedImages } from '#server/uploads/unused.ts';
import { backupPlan } from './backup-plan.ts';
import { begin, type NodeParts } from './node.ts';

const hourMs = 3_600_000;
const sixHoursMs = 6 * 3_600_000;
const daysOf = async (db: NodeParts['db']) => (await readSettings(db, 'retention')).readingsDays;
const partitions = ({ owner, db }: Pick<NodeParts, 'owner' | 'db'>): TimedWork => ({
  name: 'partitions',
  next: every(sixHoursMs),
  async run({ now, signal }) {
    const days = await daysOf(db);
    return owner.use((pool) => tidyPartitions(pool, days, now, signal));
  },
});

/** Registers all scheduled work. Nothing runs before `start`. */
export const createSchedule = (
  { log, clock, stack, pool, db, bus, owner }: NodeParts,
  { vault }: { vault: Vault },
): Scheduled => {
  const rollups = createRollups({ pool, clock, bus, retentionDays: () => daysOf(db) });
  stack.add('rollups', () => rollups.stop());
  const scheduled = createScheduled({ db, bus, clock, log });
  const works: TimedWork[] = [
    rollupWork(rollups),
    backlogWork(pool),
    nominalVoltageWork(db),
    partitions({ owner, db }),
    {
      name: 'ledgerUpkeep',
      next: every(sixHoursMs),
      run: async ({ now }) => ({ removed: await forget(db, 'ledgers', now) }),
    },
    {
      name: 'sessionUpkeep',
      next: every(hourMs),
      run: async ({ now }) => ({ removed: await forget(db, 'sessions', now) }),
    },
    settingUpkeep(db),
    unusedImages(db),
    healthWork({ db, bus, plan: () => backupPlan(db) }),
    searchNamesJob(db),
    alarmDaysWork(db),
    backupWork({ db, bus, vault }),
    drillWork({ db, bus, vault }),
  ];
  for (const work of works) scheduled.add(work);
  bus.on('maintenance.planned', () => {
    Promise.all([scheduled.replan('backup'), scheduled.replan('restoreDrill')]).catch((error: unknown) =>
      log.error({ err: error }, 'plan of backups'),
    );
  });
  return scheduled;
};

/**
 * Early warnings of trends. The device link records them, so a node with the link must look for them: with
 * its own schedule if another node runs the other jobs.
 */
export const beginTrends = async (
  { log, clock, stack, db, bus }: NodeParts,
  link: Link,
  schedule: Scheduled | null,
): Promise<void> => {
  const own = schedule ?? createScheduled({ db, bus, clock, log });
  own.add(trendWork({ db, record: (finding) => link.record(finding) }));
  const stop = bus.on('alarmType.changed', ({ code }) => {
    if (trendCodes.includes(code))
      own.replan('trends').catch((error: unknown) => log.error({ err: error }, 'plan of trends'));
  });
  stack.add('plan of trends', async () => stop());
  if (!schedule) await begin(stack, 'scheduled trends', own);
};

/** Scheduled and queued work, on one node at a time or shared by several. */
export const beginJobs = async (
  { log, clock, stack, db, bus }: NodeParts,
  link: DeviceLink,
  control: Pick<Control, 'request' | 'requestMany'>,
  scheduled: Scheduled,
): Promise<void> => {
  stack.add(
    'messages',
    listenForMessages({ db, bus, clock, onError: (error) => log.error({ err: error }, 'messages') }),
  );
  const sender = createConfigSender({ db, bus, clock, link, log });
  await begin(stack, 'configurations', sender);
  await begin(stack, 'settings', createSettingsSender({ db, bus, clock, sender, log }));
  await begin(stack, 'auto-reclose', createReclosingRest({ db, bus, clock, log }));
  const acts = { ...deviceActs, settings: settingsAct };
  await begin(stack, 'device jobs', createDeviceJobs({ db, bus, clock, log, acts }));
  const timers = createTimers({
    db,
    bus,
    clock,
    control,
    log,
    onRound: scheduled.watch('timers', () => timers.wake()),
  });
  await begin(stack, 'timers', timers);
  await begin(stack, 'timer copies', createTimerCopies({ db, bus, clock, sender, log }));
  await begin(stack, 'tag reviews', createTagReviews({ db, bus, clock, log }));
};
