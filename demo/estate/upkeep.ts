import type { Db } from '#database/connect.ts';
import { uuidOf } from './commands.ts';
import type { FurnishedUser } from './people.ts';
import { randomOf } from './random.ts';

const dayMs = 86_400_000;

interface JobSeed {
  kind: 'optimise' | 'repair';
  tables: readonly string[];
  daysAgo: number;
  seconds: number;
}
/** Only jobs that neither make nor need a file. */
const jobs: readonly JobSeed[] = [
  { kind: 'repair', tables: ['alarms', 'alarm_history', 'work_orders'], daysAgo: 23, seconds: 6 },
  { kind: 'optimise', tables: ['deliveries', 'messages'], daysAgo: 9, seconds: 4 },
  { kind: 'optimise', tables: ['rollup_hour', 'rollup_day'], daysAgo: 2, seconds: 11 },
];

/** A waiting job: the demo's server makes this small backup when it starts. */
const entered = [
  'projects',
  'project_parts',
  'devices',
  'lines',
  'users',
  'user_projects',
  'roles',
  'notices',
  'timers',
  'settings',
];

interface Edit {
  name: string;
  daysAgo: number;
  before: number;
  after: number;
}
/** Each setting was changed and changed back, except the last: the demo uses the normal settings. */
const edits: readonly Edit[] = [
  { name: 'control.evidenceS', daysAgo: 34, before: 15, after: 30 },
  { name: 'control.evidenceS', daysAgo: 33, before: 30, after: 15 },
  { name: 'retention.messagesDays', daysAgo: 11, before: 90, after: 180 },
];

/** Finished work on the database, the first backup waiting for the server, and changed settings. */
export const furnishUpkeep = async (
  trx: Db,
  admin: FurnishedUser,
  { now, seed }: { now: number; seed: string | number },
): Promise<void> => {
  const random = randomOf(seed, 'upkeep');
  const by = { user_id: admin.id, operator: admin.username };
  await trx
    .insertInto('maintenance_jobs')
    .values(
      jobs.map(({ kind, tables, daysAgo, seconds }) => {
        const at = now - daysAgo * dayMs;
        return {
          ...by,
          id: uuidOf(random),
          kind,
          cause: 'manual' as const,
          state: 'done' as const,
          tables: [...tables],
          attempts: 1,
          done: tables.length,
          total: tables.length,
          created_at: new Date(at),
          started_at: new Date(at + 1_000),
          ended_at: new Date(at + 1_000 + seconds * 1_000),
          result: JSON.stringify(kind === 'repair' ? { tables: tables.length, findings: [] } : {}),
        };
      }),
    )
    .execute();
  await trx
    .insertInto('maintenance_jobs')
    .values({
      ...by,
      id: uuidOf(random),
      kind: 'backup',
      cause: 'manual',
      state: 'queued',
      tables: entered,
      created_at: new Date(now),
    })
    .execute();
  await trx
    .insertInto('setting_edits')
    .values(
      edits.map(({ name, daysAgo, before, after }) => ({
        ...by,
        name,
        at: new Date(now - daysAgo * dayMs),
        before: JSON.stringify(before),
        after: JSON.stringify(after),
      })),
    )
    .execute();
  await trx
    .insertInto('settings')
    .values({
      key: 'retention',
      value: JSON.stringify({ messagesDays: 180 }),
      updated_at: new Date(now - 11 * dayMs),
    })
    .execute();
};
