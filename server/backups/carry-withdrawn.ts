import type pg from 'pg';
import { readTables } from '#database/backup/catalogue.ts';
import { notDeletedSql } from '#server/core/not-deleted.ts';

/** What users had taken away since the backup, so that its restore does not give it back. */
export interface Withdrawn {
  /** Accounts that were deleted since: they come back disabled. */
  accounts: number;
  /** Closing timers that were deleted, disabled or changed since: they come back disabled. */
  timers: number;
  /** Devices that were deleted since: they come back with a lock-out tag. */
  devices: number;
  /** Devices that were moved since: they stay in their present project, or without one. */
  moved: number;
  /** Settings that waited for their device then, and no longer before the restore: they are not sent. */
  settings: number;
  /** Firmware rollouts that were running: paused. */
  rollouts: number;
  /** User names of these accounts and ids of these timers, for the operation log; at most 50 each. */
  named: { accounts: string[]; timers: number[] };
}
const mostNamed = 50;

const isThere = notDeletedSql('devices');
const remember = [
  `create temporary table was_roles on commit drop as select * from roles`,
  `create temporary table was_users on commit drop as select * from users where ${notDeletedSql('users')}`,
  `create temporary table was_scopes on commit drop as
    select * from user_projects where user_id in (select id from was_users)`,
  `create temporary table was_two_step on commit drop as
    select * from two_step where user_id in (select id from was_users)`,
  `create temporary table was_browsers on commit drop as
    select * from known_browsers where user_id in (select id from was_users)`,
  `create temporary table was_devices on commit drop as select * from devices where ${isThere}`,
  `create temporary table was_owners on commit drop as select * from device_past_owners`,
  `create temporary table was_timers on commit drop as
    select timers.* from timers join devices on devices.id = timers.device_id and ${isThere}
    where timers.action = 'close' and timers.enabled`,
  `create temporary table was_copies on commit drop as select device_id from timer_copies where state = 'pending'`,
  `create temporary table was_waiting on commit drop as select * from device_desired where state = 'pending'`,
];

/** `roles` and `users` are the columns of these tables, without generated ones. */
const keepAccounts = ({ roles, users }: { roles: string; users: string }) => ({
  letters: `update roles set letters = was.letters, enabled = was.enabled, two_step = was.two_step
    from was_roles was where was.id = roles.id`,
  // A role that was deleted since gives its code and its name back.
  codes: `update roles set enabled = false, code = free.code, name = left(roles.name, 40) || ' (' || free.code || ')'
    from (select id, row_number() over (order by id)
        + greatest((select max(code) from roles), (select max(code) from was_roles)) as code
      from roles where id not in (select id from was_roles)) free
    where free.id = roles.id`,
  accounts: `update users set enabled = false,
      -- A user name belongs to one account.
      deleted_at = case when lower(username) in (select lower(username) from was_users) then $1::timestamptz end
    where ${notDeletedSql('users')} and id not in (select id from was_users)
    returning username as named`,
  // Accounts may have exchanged their names.
  names: `update users set username = '~' || id where id in (select id from was_users)`,
  // One statement, because roles and accounts refer to each other.
  made: `with made as (
      insert into roles (${roles}) overriding system value select ${roles} from was_roles
      where id not in (select id from roles))
    insert into users (${users}) overriding system value select ${users} from was_users
    where id not in (select id from users)`,
  users: `update users set (${users.replace(/^id, /, '')}) =
      (select ${users.replace(/^id, /, '')} from was_users was where was.id = users.id)
    where id in (select id from was_users)`,
  scopes: `delete from user_projects where user_id in (select id from was_users)`,
  scoped: `insert into user_projects (user_id, project_id, part_ids)
    select user_id, project_id, known from (
      select was.*, array(select part from unnest(was.part_ids) part where part in (
        select id from project_parts where project_parts.project_id = was.project_id)) as known from was_scopes was) was
    where project_id in (select id from projects) and (known <> '{}' or part_ids = '{}')`,
  // Without its projects, an account could get those of its region.
  narrowed: `update users set enabled = false
    where enabled and id in (select user_id from was_scopes) and id not in (select user_id from user_projects)
    returning username as named`,
  steps: `delete from two_step where user_id in (select id from was_users)`,
  twoStep: `insert into two_step select * from was_two_step`,
  browsers: `delete from known_browsers where user_id in (select id from was_users)`,
  known: `insert into known_browsers select * from was_browsers`,
});

const checkReason =
  '数据已从备份恢复，备份之后此设备曾被删除：请先到现场核对，再取下此牌。 / ' +
  'Restored from a backup, but this device was deleted since: check on site, then remove this tag. / ' +
  'Данные восстановлены из копии, но позже устройство удалили: проверьте на месте и снимите этот плакат.';

/** A device of the backup in a project, and where the same device was before the restore. */
const places = `create temporary table places on commit drop as
  select devices.id, devices.project_id as old_project, project.id as project_id, part.id as part_id,
    was.id is null as is_gone, was.bound_at, was.secret_hash
  from devices
  left join was_devices was on was.number = devices.number
  left join projects project on project.id = was.project_id and ${notDeletedSql('project')}
  left join project_parts part on part.id = was.part_id and part.project_id = project.id
  where devices.project_id is not null and ${isThere}
    and (was.id is null or (was.project_id, was.part_id) is distinct from (devices.project_id, devices.part_id))`;
const keepPlaces = {
  places,
  devices: `insert into lockout_tags (device_id, reason, owner_id, set_at)
    select id, $2, (select users.id from users join roles on roles.id = users.role_id
      order by roles.code = 1 desc, users.enabled desc, users.id limit 1), $1::timestamptz
    from places where is_gone`,
  past: `delete from device_past_owners where device_id in (select id from places where not is_gone)`,
  owners: `insert into device_past_owners select was.* from was_owners was
    where device_id in (select id from places where not is_gone) and project_id in (select id from projects)`,
  // A device in another project leaves the contacts, the address and the incoming lines of the former one behind.
  lines: `update lines set supplies = null from places
    where places.id = lines.device_id and not is_gone and lines.supplies = 'project'
      and places.project_id is distinct from places.old_project`,
  persons: `update devices set contacts = '[]', address = '', lat = null, lng = null, image_id = null from places
    where places.id = devices.id and not is_gone and places.project_id is distinct from places.old_project`,
  moved: `update devices set project_id = places.project_id, part_id = places.part_id, revision = revision + 1,
      bound_at = case when places.project_id is not null then places.bound_at end
    from places where places.id = devices.id and not is_gone`,
};

/** Condition: this closing timer was already enabled, with the same schedule, before the restore. */
const isSameTimer = `was.id = timers.id and was.line_id = timers.line_id and was.time = timers.time
  and (was.type, was.days, was.date, was.run_by, was.slot)
    is not distinct from (timers.type, timers.days, timers.date, timers.run_by, timers.slot)
  and was.author_id in (select id from users)`;
const keepTimers = {
  timers: `with off as (
      update timers set enabled = false, next_at = null, revision = revision + 1
      where action = 'close' and enabled and not exists (select from was_timers was where ${isSameTimer})
      returning id, device_id, slot),
    held as (insert into was_copies select device_id from off where slot is not null)
    select id as named from off order by id`,
  // A run that was carried out before the restore does not come due again, and the present author answers for it.
  runs: `update timers set next_at = was.next_at, done_at = was.done_at, zone = was.zone, author_id = was.author_id
    from was_timers was where timers.action = 'close' and timers.enabled and ${isSameTimer}`,
  due: `update timer_runs set outcome = 'missed', reason = 'timer.late', at = $1::timestamptz where outcome = 'due'`,
  // What the device holds is compared with the timers again.
  copies: `insert into timer_copies as copy (device_id, state, changed_at)
    select distinct device_id, 'pending', $1::timestamptz from was_copies where device_id in (select id from devices)
    on conflict (device_id) do update set state = 'pending', reason = null, push_id = null, pushed_at = null, tries = 0,
      changed_at = excluded.changed_at`,
};

const keepWaiting = {
  // One that was asked for anew in another project since comes back with that project.
  settings: `delete from device_desired wish where state = 'pending' and not exists (
    select from was_waiting was where was.value = wish.value and was.project_id is not distinct from wish.project_id
      and (was.device_id, was.kind, was.place, was.key) = (wish.device_id, wish.kind, wish.place, wish.key))`,
  waiting: `insert into device_desired as wish
    select * from was_waiting where device_id in (select id from devices where ${isThere})
    on conflict (device_id, kind, place, key) do update set value = excluded.value, seen = excluded.seen,
      state = 'pending', reason = null, job_id = excluded.job_id, message_id = null, user_id = excluded.user_id,
      operator = excluded.operator, project_id = excluded.project_id, wished_at = excluded.wished_at, sent_at = null,
      settled_at = null
      where wish.state <> 'pending'`,
  rows: `update device_job_rows job set state = 'cancelled', reason = null
    where state = 'queued' or state = 'waiting' and not exists (
      select from device_desired wish where wish.state = 'pending'
        and (wish.job_id, wish.device_id) = (job.job_id, job.device_id))`,
  jobs: `update device_jobs set queued = false where queued`,
  rollouts: `update rollouts set state = 'paused', reason = null, revision = revision + 1 where state = 'running'`,
};

/** Steps that end work of the backup, so that they need its rows. */
const ends: Readonly<Record<string, string>> = {
  due: 'timer_runs',
  rows: 'device_job_rows',
  jobs: 'device_jobs',
  rollouts: 'rollouts',
};

/**
 * Remembers, in the transaction of a restore, what users took away since the backup; call it before the data is
 * replaced, and the result afterwards with the replaced tables. Only for a backup of this installation: ids are never assigned twice, so the
 * same id means the same row. Decision 0490.
 */
export const rememberWithdrawn = async (
  client: pg.ClientBase,
): Promise<(now: Date, replaced: readonly string[]) => Promise<Withdrawn>> => {
  for (const text of remember) await client.query(text);
  const tables = await readTables(client);
  const columnsOf = (name: string) =>
    tables
      .find((table) => table.name === name)!
      .columns.map((column) => column.name)
      .join(', ');
  const steps = {
    ...keepAccounts({ roles: columnsOf('roles'), users: columnsOf('users') }),
    ...keepPlaces,
    ...keepTimers,
    ...keepWaiting,
  };
  return async (now, replaced) => {
    const done = new Map<string, { count: number; named: unknown[] }>();
    for (const [name, text] of Object.entries(steps)) {
      const table = ends[name];
      if (table !== undefined && !replaced.includes(table)) continue;
      const given = [now, checkReason].slice(0, text.includes('$2') ? 2 : text.includes('$1') ? 1 : 0);
      const { rowCount, rows } = await client.query<{ named?: unknown }>(text, given);
      done.set(name, { count: rowCount ?? 0, named: rows.map(({ named }) => named) });
    }
    const count = (name: keyof typeof steps) => done.get(name)?.count ?? 0;
    const named = (...names: (keyof typeof steps)[]) =>
      names.flatMap((name) => done.get(name)!.named).slice(0, mostNamed);
    return {
      accounts: count('accounts') + count('narrowed'),
      timers: count('timers'),
      devices: count('devices'),
      moved: count('moved'),
      settings: count('settings'),
      rollouts: count('rollouts'),
      named: {
        accounts: named('accounts', 'narrowed') as string[],
        timers: named('timers') as number[],
      },
    };
  };
};
