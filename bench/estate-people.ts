import type pg from 'pg';

interface PeopleSize {
  users: number;
  persons: number;
  feedback: number;
  maintenance: number;
  logRows: number;
}

const logKeys = [
  ...['alarm.handle', 'alarm.handleBatch', 'command.switch', 'device.edit', 'device.bind', 'project.edit'],
  ...['user.add', 'user.edit', 'session.signIn', 'session.signOut', 'setting.write', 'maintenance.add'],
];

/** Builds an index after its rows are there: a tenth of the time. */
const withoutIndexes = async (client: pg.ClientBase, table: string, fill: () => Promise<unknown>) => {
  const { rows } = await client.query<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes
     where schemaname = current_schema() and tablename = $1
       and indexname not in (select conname from pg_constraint)`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  for (const { made } of rows) await client.query(made);
};

/**
 * Users with their projects, people to call, feedback, maintenance records and the operation log of a year, in a
 * database with an estate; the same each time. The log's hashes are not a chain: no list reads them.
 */
export const furnishPeople = async (
  client: pg.ClientBase,
  { users, persons, feedback, maintenance, logRows }: PeopleSize,
  now: Date,
): Promise<void> => {
  const run = (statement: string, values: unknown[] = []) => client.query(statement, values);
  await run(`insert into roles (code, name, letters, built_in) values (1, 'All', '', true), (900, 'Letters', 'ABCDEFGHIJKLMN', false)
    on conflict (code) do nothing`);
  await run(`insert into roles (code, name, parent_id, letters)
    select 1000 + n, 'Role ' || n, (select id from roles where code = 900), 'ABCD' from generate_series(1, 200) n`);
  await run(
    `insert into users (username, nickname, email, mobile, password_hash, password_changed_at, role_id, enabled, region_id, created_at)
     select 'user' || lpad(n::text, 6, '0'),
       (array['张伟','王芳','李娜','刘洋','Anna','Иван','陈静','Пётр'])[1 + n % 8] || n, 'user' || n || '@example.org',
       '1' || (3000000000 + n * 7919::bigint), '', $2::timestamptz, roles.ids[1 + n % array_length(roles.ids, 1)], n % 20 <> 0,
       case when n % 10 = 0 then (11 + n % 30) * 10000 + (1 + n % 10) * 100 end,
       $2::timestamptz - (($1::int - n)::float8 / $1::int) * interval '700 days'
     from generate_series(1, $1::int) n, (select array_agg(id order by id) as ids from roles where code >= 1000) roles`,
    [users, now],
  );
  await run(`insert into user_projects (user_id, project_id)
    select u.id, 1 + u.id % p.n from users u, (select count(*)::int as n from projects) p`);
  await run(
    `insert into persons (name, mobile, position, created_at)
     select (array['赵敏','孙丽','周强','Maria','Ольга'])[1 + n % 5] || n, '1' || (5000000000 + n * 7919::bigint),
       (array['电工','值班长','Electrician'])[1 + n % 3], $2::timestamptz - n * interval '10 minutes'
     from generate_series(1, $1::int) n`,
    [persons, now],
  );
  await run(`insert into person_projects (person_id, project_id)
    select id, 1 + id % p.n from persons, (select count(*)::int as n from projects) p`);
  await run(
    `insert into feedback (user_id, project_id, type, contact, content, at, reply, replied_at, replied_by)
     select known.first + n % known.users, 1 + n % known.projects, (array['problem','suggestion','question','other'])[1 + n % 4], '',
       'Text of ' || n, $2::timestamptz - n * interval '7 minutes', case when n % 3 > 0 then 'Answer' end,
       case when n % 3 > 0 then $2::timestamptz end, case when n % 3 > 0 then known.first end
     from generate_series(1, $1::int) n, (select min(id) as first, count(*)::int as users,
       (select count(*)::int from projects) as projects from users) known`,
    [feedback, now],
  );
  await run(
    `insert into maintenance_records (kind, project_id, device_id, device_number, device_name, address, maintenance_time,
       handler_name, handler_phone, content, fault_content, result, suggestion, before_images, after_images, lines, alarms,
       author_id, created_at)
     select (array['routine','inspection','repair','replacement'])[1 + n % 4], d.project_id, d.id, d.number, d.name, d.address,
       $2::timestamptz - n * interval '5 minutes', 'Handler ' || n % 500, '13800000000', 'Work on ' || n, '', 'Done', '',
       '{}', '{}', '[]', '[]', known.first, $2::timestamptz - n * interval '5 minutes'
     from generate_series(1, $1::int) n
       join devices d on d.id = 1 + (n::bigint * 7919) % (select count(*) from devices) and d.project_id is not null,
       (select min(id) as first from users) known`,
    [maintenance, now],
  );
  await withoutIndexes(client, 'operation_log', () =>
    run(
      `insert into operation_log (at, user_id, operator, key, channel, address, request_id, outcome, code, project_id,
         device_id, parameters, previous_hash, hash)
       select date_trunc('milliseconds', $2::timestamptz - (($1::int - n)::float8 / $1::int) * interval '365 days'),
         known.first + (n::bigint * 7919 % known.users)::int, 'user' || lpad((1 + n::bigint * 7919 % known.users)::text, 6, '0'),
         ($3::text[])[1 + n % array_length($3::text[], 1)], case when n % 5 = 0 then 'api' else 'web' end, '10.0.0.1',
         'request-' || n, case when n % 20 = 0 then 'refused' else 'done' end, case when n % 20 = 0 then 409 else 200 end,
         1 + (n::bigint * 104729 % known.projects)::int, 1 + (n::bigint * 15485863 % known.devices)::int, '{"n": 1}',
         '\\x00', '\\x00'
       from generate_series(1, $1::int) n, (select min(id) as first, count(*)::int as users,
         (select count(*)::int from projects) as projects, (select count(*)::int from devices) as devices from users) known
       order by n`,
      [logRows, now, logKeys],
    ),
  );
  await run('vacuum analyze');
};
