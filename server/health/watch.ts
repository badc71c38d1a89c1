import { sql } from 'kysely';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import type { Bus } from '#server/core/bus.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { postMessage } from '#server/messages/messages.store.ts';
import { type BackupPlan, observe } from './health.store.ts';
import { type Problem, problemsOf } from './problems.ts';

const everyMs = 60_000;
/** A problem is reported after it has lasted this long: the effects of a restart are over by then. */
const reportAfterMs = 2 * 60_000;

const keyOf = ({ code, subject }: Pick<Problem, 'code' | 'subject'>) => `${code} ${subject}`;

const administrators = async (trx: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select users.id from users join roles on roles.id = users.role_id
    where ${isActiveAccount} and roles.code = ${builtInRoles.admin} order by users.id`.execute(trx);
  return rows.map((row) => row.id);
};

/**
 * Checks the product once, stores since when each problem has lasted, and notifies administrators of lasting
 * problems and of their end. Returns the number of problems and who got a message.
 */
export const watchOnce = async (
  db: Db,
  now: number,
  plan: BackupPlan,
): Promise<{ problems: number; userIds: number[] }> => {
  const at = new Date(now);
  const found = problemsOf(await observe(db, now, plan), now);
  return db.transaction().execute(async (trx) => {
    const known = await trx.selectFrom('health_problems').selectAll().forUpdate().execute();
    const notified: number[] = [];
    const notify = async (key: 'system.unwell' | 'system.well', problem: Problem, since: Date) => {
      const userIds = await postMessage(trx, {
        userIds: await administrators(trx),
        type: 'system',
        key,
        data: { problem: problem.code, subject: problem.subject },
        dedupe: `${key} ${keyOf(problem)} ${since.getTime()}`,
        now,
      });
      notified.push(...userIds);
    };
    for (const problem of found) {
      const row = known.find((each) => keyOf(each) === keyOf(problem));
      const since = row?.since ?? at;
      const isDue = row !== undefined && row.told_at === null && now - since.getTime() >= reportAfterMs;
      if (isDue) await notify('system.unwell', problem, since);
      const seen = {
        seen_at: at,
        told_at: isDue ? at : (row?.told_at ?? null),
        facts: JSON.stringify(problem.facts),
      };
      await trx
        .insertInto('health_problems')
        .values({ code: problem.code, subject: problem.subject, since, ...seen })
        .onConflict((conflict) => conflict.columns(['code', 'subject']).doUpdateSet(seen))
        .execute();
    }
    for (const row of known) {
      if (found.some((problem) => keyOf(problem) === keyOf(row))) continue;
      if (row.told_at !== null) await notify('system.well', row, row.since);
      await trx
        .deleteFrom('health_problems')
        .where('code', '=', row.code)
        .where('subject', '=', row.subject)
        .execute();
    }
    await trx
      .deleteFrom('node_reports')
      .where('seen_at', '<', new Date(now - 86_400_000))
      .execute();
    return { problems: found.length, userIds: [...new Set(notified)] };
  });
};

export const healthWork = ({
  db,
  bus,
  plan,
}: {
  db: Db;
  bus: Bus;
  plan: () => Promise<BackupPlan>;
}): TimedWork => ({
  name: 'healthWatch',
  next: every(everyMs),
  async run({ now }) {
    const { problems, userIds } = await watchOnce(db, now, await plan());
    if (userIds.length > 0) bus.emit('message.posted', { userIds });
    return { checked: problems };
  },
});
