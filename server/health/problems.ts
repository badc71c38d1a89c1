import type { HealthOverview, ProblemCode } from '#contract/health.ts';

export interface Problem {
  code: ProblemCode;
  /** The node or job; '': the whole product. */
  subject: string;
  facts: Record<string, number | string>;
}
export interface Observed extends Omit<HealthOverview, 'problems' | 'version'> {
  /** Null: no backups are scheduled. */
  backup_every_days: number | null;
  drill_every_days: number | null;
  /** When the installation got the backup function: before the first due time nothing is late. */
  installed_at: string;
  rollups_lag_s: number;
}

const dayMs = 86_400_000;
/** Limits beyond which an administrator should check. */
const healthLimits = {
  acknowledgeMs: 5000,
  answerMs: 1000,
  connectionShare: 0.9,
  diskShare: 0.05,
  diskBytes: 1_000_000_000,
  rollupsS: 15 * 60,
  noticeMs: 10 * 60_000,
  /** Allowed delay of a backup in days: one may fail and be made the next night. */
  backupGraceDays: 1,
} as const;

const isOlder = (at: string | null, days: number, now: number, installedAt: string): boolean =>
  now - Date.parse(at ?? installedAt) > days * dayMs;

const nodeProblems = (nodes: Observed['nodes']): Problem[] =>
  nodes.flatMap(({ name, gone, facts }): Problem[] => {
    if (gone) return [{ code: 'nodeGone', subject: name, facts: {} }];
    const found: Problem[] = [];
    const { link_ready, acknowledge_ms, paused, disk_free_bytes: free, disk_bytes: disk } = facts;
    if (link_ready === false) found.push({ code: 'linkDown', subject: name, facts: {} });
    if (paused || (acknowledge_ms ?? 0) > healthLimits.acknowledgeMs)
      found.push({ code: 'ingestSlow', subject: name, facts: { ms: acknowledge_ms ?? 0 } });
    if (
      free !== null &&
      disk !== null &&
      (free < healthLimits.diskBytes || free < disk * healthLimits.diskShare)
    )
      found.push({ code: 'diskLow', subject: name, facts: { free, disk } });
    return found;
  });

/** Problems, from the observed facts. */
export const problemsOf = (seen: Observed, now: number): Problem[] => {
  const { database, work, backups } = seen;
  const whole = (code: ProblemCode, isThere: boolean, facts: Problem['facts'] = {}): Problem[] =>
    isThere ? [{ code, subject: '', facts }] : [];
  const backupDays =
    seen.backup_every_days === null ? null : seen.backup_every_days + healthLimits.backupGraceDays;
  const drillDays =
    seen.drill_every_days === null ? null : seen.drill_every_days + healthLimits.backupGraceDays;
  return [
    ...nodeProblems(seen.nodes),
    ...whole('databaseSlow', database.answer_ms > healthLimits.answerMs, { ms: database.answer_ms }),
    ...whole(
      'connectionsScarce',
      database.connections > database.most_connections * healthLimits.connectionShare,
      { used: database.connections, most: database.most_connections },
    ),
    ...whole('rollupsBehind', seen.rollups_lag_s > healthLimits.rollupsS, {
      minutes: Math.round(seen.rollups_lag_s / 60),
    }),
    ...work.jobs_failing.map((job): Problem => ({ code: 'jobFailing', subject: job, facts: {} })),
    ...whole(
      'noticesStuck',
      work.notices_oldest !== null && now - Date.parse(work.notices_oldest) > healthLimits.noticeMs,
      { queued: work.notices_queued },
    ),
    ...whole(
      'backupOld',
      backupDays !== null && isOlder(backups.last_at, backupDays, now, seen.installed_at),
    ),
    ...whole('drillOld', drillDays !== null && isOlder(backups.drill_at, drillDays, now, seen.installed_at)),
  ];
};
