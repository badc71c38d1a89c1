import type pg from 'pg';
import { lineChannels } from '#contract/telemetry.ts';

interface EstateSize {
  projects: number;
  devices: number;
  alarms: number;
}

/**
 * Fills an empty, migrated database with a large estate that is the same each time; `now` is its newest
 * instant.
 */
export const furnishEstate = async (client: pg.ClientBase, size: EstateSize, now: Date): Promise<void> => {
  const run = (statement: string, values: unknown[] = []) => client.query(statement, values);
  await run(`select setseed(0.42)`);
  await run(`
    insert into regions (id, pid, name, latin, code, first, lat, lng, level, merger_name, pinyin, region_code, shortname, path)
    select id, pid, 'Region ' || id, 'region', id::text, 'r', 30, 110, case when pid is null then 1 else 2 end,
      'Region ' || id, 'region', id::text, 'R' || id, case when pid is null then '/' || id || '/' else '/' || pid || '/' || id || '/' end
    from (select p * 10000 as id, null::int as pid from generate_series(11, 40) p
          union all select p * 10000 + c * 100, p * 10000 from generate_series(11, 40) p, generate_series(1, 10) c) r
    order by pid nulls first`);
  await run(
    `insert into projects (code, name, region_id, lat, lng, joined_at)
     select 'P' || lpad(p::text, 6, '0'), 'Project ' || p, (11 + p % 30) * 10000 + (1 + p % 10) * 100,
       20 + random() * 20, 100 + random() * 20, $2::timestamptz - interval '2 years'
     from generate_series(1, $1::int) p`,
    [size.projects, now],
  );
  await run(
    `insert into devices (number, name, type, model, secret_hash, project_id, registered_at, bound_at, address)
     select 'DEV' || lpad(d::text, 9, '0'), 'Device ' || (d * 7919 % 100003), 1 + d % 7, 'M' || d % 7, '\\x00'::bytea,
       case when d % 50 = 0 then null else 1 + d % $2::int end, $3::timestamptz - random() * interval '700 days',
       case when d % 50 = 0 then null else $3::timestamptz - interval '1 day' end, 'Building ' || d % 40
     from generate_series(1, $1::int) d`,
    [size.devices, size.projects, now],
  );
  await run(
    `insert into device_state (device_id, online, last_seen, rssi)
     select id, id % 10 <> 0, $1::timestamptz - random() * case when id % 10 <> 0 then interval '1 minute' else interval '30 days' end, -60 - id % 50
     from devices`,
    [now],
  );
  await run(
    `insert into lines (device_id, n, name, poles, switchable, created_at)
     select id, n, case when n = 0 then '' else 'L' || n end, case when type in (2, 4, 6, 7) then 3 else 1 end, type in (3, 4, 7), registered_at
     from devices, generate_series(0, 2) n order by id, n`,
  );
  for (const [type, channels] of Object.entries(lineChannels))
    await run(
      `insert into line_latest (line_id, at, received_at, boot, seq, position, energy, channels)
       select l.id, $1, $1, 1, 1, l.id / 3 % 2, 100 + l.id % 1000, (select array_agg((220 + x)::real) from generate_series(1, $2::int) x)
       from lines l join devices d on d.id = l.device_id where l.n > 0 and d.type = $3`,
      [now, channels.length, Number(type)],
    );
  await run(
    `insert into alarms (line_id, id, device_id, project_id, code, level, severity, source, work_order, raised_at, received_at,
       last_at, cleared_at, value, threshold, value_type, handled_at, handling_content)
     select l.id, a.n, a.device_id, d.project_id, (array[101,102,201,301,401,501,801])[1 + a.n % 7], 1 + a.n % 3 % 2, 1 + a.n % 4, 'server',
       'W' || lpad(a.n::text, 14, '0'), a.at, a.at, a.at, case when a.n % 100 = 0 then null else a.at + interval '10 minutes' end,
       1, 2, 1, case when a.n % 20 = 0 then null else a.at + interval '1 hour' end, 'done'
     from (select n, 1 + (n::bigint * 7919 % $2)::int as device_id, $3::timestamptz - (($1::int - n)::float8 / $1::int) * interval '365 days' as at
           from generate_series(1, $1::int) n) a
     join devices d on d.id = a.device_id
     join lines l on l.device_id = a.device_id and l.n = 1
     on conflict do nothing`,
    [size.alarms, size.devices, now],
  );
  await run(`select setval('alarm_ids', $1)`, [size.alarms + 1]);
  await run(
    `insert into rollup_day (line_id, bucket, samples, covered_s, energy_kwh, power_min, power_avg, power_max)
     select l.id, date_trunc('day', $1::timestamptz, 'Asia/Shanghai') - day * interval '1 day', 1440, 86400, 12.5, 0, 500, 2000
     from generate_series(0, 1) day, lines l where l.n > 0`,
    [now],
  );
  await run(
    `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags, power_w)
     select p.id, 0, date_trunc('hour', $1::timestamptz) - quarter * interval '15 minutes', 100, 90000, 12.5, 0, 50000
     from generate_series(0, 200) quarter, projects p`,
    [now],
  );
  await run('vacuum analyze');
};
