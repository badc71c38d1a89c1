import { type SqlBool, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { alarmOnWire } from '#server/alarms/view.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { deliveryOnWire } from '#server/notices/notices.store.ts';
import { historyOf, type Incident } from './evidence-pack.store.ts';

const mostRows = 5000;
const mostImages = 60;
const bounded = <Row>(rows: Row[]): Row[] => (rows.length > mostRows ? fault('evidence.tooMuch') : rows);
const limit = sql`limit ${mostRows + 1}`;

const commandsOf = async (db: Db, { device, acts }: Incident) => {
  if (!device) return [];
  const rows = await db
    .selectFrom('commands')
    .leftJoin('lines', 'lines.id', 'commands.line_id')
    .selectAll('commands')
    .select('lines.n')
    .where('commands.device_id', '=', device.id)
    .where('commands.created_at', '>=', acts.from)
    .where('commands.created_at', '<', acts.to)
    .orderBy('commands.created_at')
    .limit(mostRows + 1)
    .execute();
  return bounded(rows).map((row) => ({
    command_id: row.id,
    number: row.number,
    line: row.n,
    action: row.verb,
    parameters: row.parameters,
    state: row.state,
    reason: row.reason,
    cause: row.cause,
    operator: row.operator,
    address: row.address,
    batch_id: row.batch_id,
    created_at: row.created_at,
    expires_at: row.expires_at,
    sent_at: row.sent_at,
    acknowledged_at: row.acknowledged_at,
    ended_at: row.ended_at,
    answer: row.ack,
    evidence: row.evidence,
    late_answer: row.late,
  }));
};

/** Every report of a moved contact, with the cause that the device gave. */
const movesOf = async (db: Db, { lines, acts }: Incident) => {
  const { rows } = await sql<{
    line: number;
    at: Date;
    position: number;
    cause: string;
    code: number | null;
    command_id: string | null;
    received_at: Date | null;
  }>`
    select l.n as line, e.at, e.position, e.cause, e.code, e.command_id, e.received_at
    from position_events e join lines l on l.id = e.line_id
    where e.line_id = any(${lines.map(({ id }) => id)}::int[]) and e.at >= ${acts.from} and e.at < ${acts.to}
    order by e.at, e.boot, e.seq ${limit}`.execute(db);
  return bounded(rows).map(({ position, ...move }) => ({
    ...move,
    position: position === 1 ? 'closed' : 'open',
  }));
};

const tagsOf = async (db: Db, { device, project, lines, acts, owned }: Incident) => {
  const { rows } = await sql<{
    tag_id: number;
    placed_on: 'line' | 'device' | 'project';
    line: number | null;
    reason: string;
    photo_id: string | null;
    owner: string;
    set_at: Date;
    removed_at: Date | null;
    removed_by: string | null;
    removal_reason: string | null;
  }>`
    select t.id as tag_id, case when t.line_id is not null then 'line' when t.device_id is not null then 'device'
      else 'project' end as placed_on, l.n as line, t.reason, t.photo_id, owner.username as owner, t.set_at,
      t.removed_at, remover.username as removed_by, t.removal_reason
    from lockout_tags t left join lines l on l.id = t.line_id join users owner on owner.id = t.owner_id
      left join users remover on remover.id = t.removed_by
    where t.set_at < ${acts.to} and coalesce(t.removed_at, 'infinity') >= ${acts.from}
      and (t.project_id = ${project?.id ?? 0} or (t.set_at >= ${owned.from} and (t.device_id = ${device?.id ?? 0}
        or t.line_id = any(${lines.map(({ id }) => id)}::int[]))))
    order by t.set_at, t.id ${limit}`.execute(db);
  return bounded(rows);
};

const deliveriesOf = async (db: Db, { alarms }: Incident) => {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('alarm_id', '=', sql<number>`any(${alarms.map(({ id }) => id)}::bigint[])`)
    .orderBy('id')
    .limit(mostRows + 1)
    .execute();
  return bounded(rows).map((row) => ({ alarm_id: row.alarm_id, ...deliveryOnWire(row) }));
};

const settingChangesOf = async (db: Db, { device, acts }: Incident) =>
  bounded(
    await db
      .selectFrom('setting_changes')
      .select(['revision', 'at', 'operator', 'changes'])
      .where('device_id', '=', device?.id ?? 0)
      .where('at', '>=', acts.from)
      .where('at', '<', acts.to)
      .orderBy('revision')
      .limit(mostRows + 1)
      .execute(),
  );

/** Maintenance records of the device in the period, and those that name one of the alarms. */
const maintenanceOf = async (db: Db, scope: Scope, { device, alarms, acts }: Incident) => {
  const named = alarms.map(({ id }) => sql<SqlBool>`record.alarms @> ${JSON.stringify([{ id }])}::jsonb`);
  const rows = await db
    .selectFrom('maintenance_records as record')
    .selectAll('record')
    .where(notDeleted('record'))
    .where(inScope(scope, 'record.project_id', 'record.part_id'))
    .where(
      sql<SqlBool>`(${sql.join(
        [
          sql`(record.device_id = ${device?.id ?? 0} and record.maintenance_time >= ${acts.from}
            and record.maintenance_time < ${acts.to})`,
          ...named,
        ],
        sql` or `,
      )})`,
    )
    .orderBy('record.maintenance_time')
    .limit(mostRows + 1)
    .execute();
  return bounded(rows).map(({ deleted_at: _, author_id: _author, revision: _revision, ...record }) => record);
};

/**
 * Everything of an incident except its readings, images and operation log. Each list has a maximum length.
 */
export const factsOf = async (db: Db, scope: Scope, incident: Incident) => {
  const [history, commands, moves, tags, deliveries, settings, maintenance] = [
    await historyOf(db, incident.alarms),
    await commandsOf(db, incident),
    await movesOf(db, incident),
    await tagsOf(db, incident),
    await deliveriesOf(db, incident),
    await settingChangesOf(db, incident),
    await maintenanceOf(db, scope, incident),
  ];
  const historyOfAlarm = Map.groupBy(history, ({ alarm_id }) => alarm_id);
  const images = [
    ...new Set([
      ...(incident.device?.image_id ? [incident.device.image_id] : []),
      ...tags.flatMap(({ photo_id }) => photo_id ?? []),
      ...maintenance.flatMap(({ before_images, after_images }) => [...before_images, ...after_images]),
    ]),
  ];
  if (images.length > mostImages) fault('evidence.tooMuch');
  return {
    alarms: incident.alarms.map((row) => ({
      ...alarmOnWire(row),
      history: (historyOfAlarm.get(row.id) ?? []).map(({ alarm_id: _, ...step }) => step),
    })),
    commands,
    moves,
    tags,
    deliveries,
    settings,
    maintenance,
    images: await imagesOf(db, images),
  };
};
export type Facts = Awaited<ReturnType<typeof factsOf>>;

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
/** Images in the given order, without their content, which is read one by one. */
const imagesOf = async (db: Db, ids: readonly string[]) => {
  const rows = await db
    .selectFrom('uploads')
    .select(['id', 'media_type'])
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')
    .execute();
  return rows.map(({ id, media_type }) => ({ id, name: `images/${id}.${endings[media_type] ?? 'bin'}` }));
};
export const imageContent = async function* (db: Db, id: string): AsyncGenerator<Uint8Array> {
  const row = await db.selectFrom('uploads').select('content').where('id', '=', id).executeTakeFirst();
  if (row) yield row.content;
};
