import type pg from 'pg';

/** An alarm of a line as it lies in the table; raised 'now' unless told otherwise. */
export const makeAlarm = async (
  pool: pg.Pool,
  device: { id: number; project_id: number | null; part_id: number | null; lines: { id: number }[] },
  given: {
    at: number;
    level?: 1 | 2;
    code?: number;
    cleared?: boolean;
    handled?: boolean;
    suppressed?: boolean;
  },
): Promise<number> => {
  const { rows } = await pool.query<{ id: number }>(
    `insert into alarms (line_id, id, device_id, project_id, part_id, code, level, severity, source, work_order,
       raised_at, received_at, last_at, cleared_at, handled_at, suppressed_by, value, value_type)
     select $1, id, $2, $3, $4, $5, $6, 1, 'server', 'W' || id, at, at, at, case when $8 or $9 then at end,
       case when $8 then at end, case when $10 then 1 end, 42, 1
     from (select nextval('alarm_ids') as id, $7::timestamptz as at) a returning id`,
    [
      device.lines[0]!.id,
      device.id,
      device.project_id,
      device.part_id,
      given.code ?? 101,
      given.level ?? 2,
      new Date(given.at),
      given.handled ?? false,
      given.cleared ?? false,
      given.suppressed ?? false,
    ],
  );
  return rows[0]!.id;
};
