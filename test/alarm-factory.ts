import type pg from 'pg';

interface AlarmPlace {
  id: number;
  project_id: number | null;
  part_id: number | null;
  lines: { id: number }[];
}
interface GivenAlarm {
  at: number;
  level?: 1 | 2;
  severity?: number;
  code?: number;
  phase?: number;
  lineId?: number;
  source?: 'device' | 'server';
  late?: boolean;
  /** Cleared at the time at which it was raised. */
  cleared?: boolean;
  /** Processed; also cleared unless `cleared` says otherwise. */
  handled?: boolean;
  suppressed?: boolean;
  suppressedBy?: number;
  deleted?: boolean;
  workOrder?: string;
  value?: number;
  threshold?: number;
  valueType?: number;
  original?: object;
}

/** Inserts an alarm row, for the site's first line unless `lineId` is given. */
export const makeAlarm = async (pool: pg.Pool, place: AlarmPlace, given: GivenAlarm): Promise<number> => {
  const at = new Date(given.at);
  const handled = given.handled ?? false;
  const { rows } = await pool.query<{ id: number }>(
    `insert into alarms (id, work_order, line_id, device_id, project_id, part_id, code, phase, level, severity, source,
       raised_at, received_at, last_at, cleared_at, handled_at, deleted_at, late, suppressed_by, value, threshold,
       value_type, original)
     select id, coalesce($1, 'W' || id), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11, $12, $13, $14, $15, $16, $17,
       $18, $19, $20
     from nextval('alarm_ids') id returning id`,
    [
      given.workOrder ?? null,
      given.lineId ?? place.lines[0]?.id ?? 0,
      place.id,
      place.project_id,
      place.part_id,
      given.code ?? 101,
      given.phase ?? 0,
      given.level ?? 2,
      given.severity ?? 1,
      given.source ?? 'server',
      at,
      (given.cleared ?? handled) ? at : null,
      handled ? at : null,
      given.deleted ? at : null,
      given.late ?? false,
      given.suppressedBy ?? (given.suppressed ? 1 : null),
      given.value ?? 42,
      given.threshold ?? null,
      given.valueType ?? 1,
      given.original ? JSON.stringify(given.original) : null,
    ],
  );
  return rows[0]!.id;
};

/** Shelves an alarm until `until`; `level` is its level at that time. */
export const shelveAlarm = (
  pool: pg.Pool,
  id: number,
  given: { by: number; at: number; until: number; level?: number },
) =>
  pool.query(
    `insert into shelved_alarms (alarm_id, line_id, level, shelved_at, until, user_id, reason)
     select id, line_id, coalesce($2, level), $3, $4, $5, 'known' from alarms where id = $1`,
    [id, given.level ?? null, new Date(given.at), new Date(given.until), given.by],
  );
