import { healthEndpoints } from '#contract/health.ts';
import type { Db } from '#database/connect.ts';
import type { Serve } from '#server/core/serve.ts';
import { type BackupPlan, observe } from './health.store.ts';
import { problemsOf } from './problems.ts';

export const healthRoutes = (
  serve: Serve,
  { version, backupPlan }: { version: string; backupPlan: (db: Db) => Promise<BackupPlan> },
): void => {
  serve(healthEndpoints.overview, async ({ db, now }) => {
    const seen = await observe(db, now, await backupPlan(db));
    const known = await db.selectFrom('health_problems').select(['code', 'subject', 'since']).execute();
    const problems = problemsOf(seen, now).map((problem) => ({
      ...problem,
      since: (
        known.find(({ code, subject }) => code === problem.code && subject === problem.subject)?.since ??
        new Date(now)
      ).toISOString(),
    }));
    const { nodes, database, work, backups } = seen;
    return { version, problems, nodes, database, work, backups };
  });
};
