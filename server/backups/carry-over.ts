import type pg from 'pg';
import { notDeletedSql } from '#server/core/not-deleted.ts';

/** What still forbids closing after a restore, and lock-out tags whose equipment the restored data does not know. */
export interface CarriedOver {
  tags: number;
  inspections: number;
  /** Projects that got a lock-out tag, because tags that were set after the backup may be missing. */
  checks: number;
  /** Numbers of the devices whose tags are lost; at most 20. */
  lost: string[];
}
const mostNamed = 20;
const isThere = notDeletedSql('device');

/**
 * The rows are found again by what people call things: a device by its number, a line by its number on the device, a
 * project by id and code. Ids alone prove nothing, because the backup may be of another installation.
 */
const remember = [
  `create temporary table kept_tags on commit drop as
    select tag.reason, tag.photo_id, tag.review_at, tag.reminded_at, tag.set_at, tag.owner_id, owner.username as owner,
      tag.project_id, project.code as project_code, device.number, line.n
    from lockout_tags tag
    join users owner on owner.id = tag.owner_id
    left join projects project on project.id = tag.project_id
    left join lines line on line.id = tag.line_id
    left join devices device on device.id = coalesce(tag.device_id, line.device_id)
    where tag.removed_at is null`,
  `create temporary table kept_cover on commit drop as
    select tag.reason, tag.set_at, tag.owner_id, owner.username as owner, device.number, line.n
    from active_tags tag
    join users owner on owner.id = tag.owner_id
    join devices device on device.id = tag.device_id and ${isThere}
    left join lines line on line.id = tag.line_id`,
  `create temporary table kept_trips on commit drop as
    select trip.code, trip.grave, trip.at, trip.received_at, device.number, line.n
    from uninspected_trips trip join lines line on line.id = trip.line_id
    join devices device on device.id = line.device_id and ${isThere}`,
  `create temporary table kept_conditions on commit drop as
    select held.*, device.number, line.n from line_conditions held join lines line on line.id = held.line_id
    join devices device on device.id = line.device_id and ${isThere}`,
  `create temporary table kept_off on commit drop as
    select device.number, wish.seen, wish.operator, wish.wished_at
    from devices device left join device_desired wish on wish.device_id = device.id and wish.kind = 'enable'
      and wish.place = 0 and wish.key = 'net_ctrl' and wish.value = 'false'
    where ${isThere} and not device.net_ctrl`,
];

/** The tag's owner, else an administrator: a user who was added after the backup is missing. */
const ownerOf = (tag: string) => `coalesce(
  (select id from users where id = ${tag}.owner_id and username = ${tag}.owner),
  (select users.id from users join roles on roles.id = users.role_id
   order by roles.code = 1 desc, users.enabled desc, users.id limit 1))`;
const isSameTag = (a: string, b: string) => `${a}.set_at = ${b}.set_at and ${a}.reason = ${b}.reason`;

const bringBack = [
  // A tag that the backup knows is open again, even if it was removed for a moment.
  `update lockout_tags tag set removed_at = null, removed_by = null, removal_reason = null, review_at = kept.review_at
    from kept_tags kept where ${isSameTag('tag', 'kept')} and tag.removed_at is not null`,
  `insert into lockout_tags (project_id, device_id, line_id, reason, photo_id, review_at, reminded_at, owner_id, set_at)
    select project.id, case when line.id is null then device.id end, line.id, kept.reason, kept.photo_id, kept.review_at,
      kept.reminded_at, ${ownerOf('kept')}, kept.set_at
    from kept_tags kept
    left join projects project on project.id = kept.project_id and project.code = kept.project_code
    left join devices device on device.number = kept.number and ${isThere}
    left join lines line on line.device_id = device.id and line.n = kept.n
    where coalesce(project.id, device.id) is not null
      and not exists (select from lockout_tags tag where ${isSameTag('tag', 'kept')})`,
  // A device that belonged to a tagged project, and does not in the backup, or a project that is unknown there.
  `insert into lockout_tags (device_id, line_id, reason, owner_id, set_at)
    select distinct case when line.id is null then device.id end, line.id, kept.reason, ${ownerOf('kept')}, kept.set_at
    from kept_cover kept
    join devices device on device.number = kept.number and ${isThere}
    left join lines line on line.device_id = device.id and line.n = kept.n
    where not exists (
      select from active_tags tag where ${isSameTag('tag', 'kept')} and tag.device_id = device.id
        and (tag.line_id is null or tag.line_id = line.id))`,
  `insert into line_trips as trip (line_id, device_id, code, grave, at, received_at)
    select line.id, device.id, kept.code, kept.grave, kept.at, kept.received_at
    from kept_trips kept
    join devices device on device.number = kept.number and ${isThere}
    join lines line on line.device_id = device.id and line.n = kept.n
    on conflict (line_id, grave) do update set code = excluded.code, at = excluded.at, received_at = excluded.received_at,
        place = excluded.place
      where trip.received_at < excluded.received_at`,
  // A record of the backup that was deleted since does not count as the inspection of this trip.
  `update line_trips trip set received_at = $1::timestamptz, place = nextval('inspection_places')
    from kept_trips kept, devices device, lines line
    where device.number = kept.number and ${isThere} and line.device_id = device.id and line.n = kept.n
      and trip.line_id = line.id and trip.grave = kept.grave
      and not exists (select from uninspected_trips owed where owed.line_id = trip.line_id and owed.grave = trip.grave)`,
  `insert into line_conditions
      (line_id, code, phase, device_id, since, source, event_id, boot, latched, open_events)
    select line.id, kept.code, kept.phase, device.id, kept.since, kept.source, kept.event_id, kept.boot, kept.latched,
      kept.open_events
    from kept_conditions kept
    join devices device on device.number = kept.number and ${isThere}
    join lines line on line.device_id = device.id and line.n = kept.n
    on conflict do nothing`,
  `update devices device set net_ctrl = false, revision = revision + 1
    from kept_off kept where kept.number = device.number and ${isThere} and device.net_ctrl`,
  `insert into device_desired as wish (device_id, kind, place, key, value, seen, state, revision, operator, wished_at)
    select device.id, 'enable', 0, 'net_ctrl', 'false', kept.seen, 'pending',
      coalesce((select revision from device_settings where device_id = device.id), 0), kept.operator, kept.wished_at
    from kept_off kept join devices device on device.number = kept.number and ${isThere}
    where kept.operator is not null
    on conflict (device_id, kind, place, key) do update set value = excluded.value, seen = excluded.seen,
      state = 'pending', reason = null, job_id = null, message_id = null, user_id = null,
      operator = excluded.operator, wished_at = excluded.wished_at, sent_at = null, settled_at = null
      where wish.value <> 'false'`,
];

/** In the languages of the product, because a tag has one text for every reader. */
const checkReason =
  '数据已从备份恢复，备份之后的挂牌可能丢失：请先到现场核对，再取下此牌。 / ' +
  'Restored from a backup, so later lock-out tags may be missing: check on site, then remove this tag. / ' +
  'Данные восстановлены из копии, более поздние плакаты могли пропасть: проверьте на месте и снимите этот плакат.';
/** A lock-out tag on every project, in an administrator's name. */
const tagProjects = `insert into lockout_tags (project_id, reason, owner_id, set_at)
  select project.id, $2, owner.id, $1::timestamptz
  from projects project cross join (
    select users.id from users join roles on roles.id = users.role_id
    order by roles.code = 1 desc, users.enabled desc, users.id limit 1) owner
  where ${notDeletedSql('project')}`;

/**
 * Keeps what forbids closing over a restore, in its transaction: open lock-out tags, inspections that are owed, active
 * interlocks, remote control that is disabled. The backup is older, and nobody who set one of them after it would know
 * that it is gone. Where the present data is not what the backup became (`isLater` is false), later tags may be
 * lost, so each project gets one. Call it before the data is replaced, and the result afterwards. Decision 0476.
 */
export const rememberForbidding = async (
  client: pg.ClientBase,
  { isLater }: { isLater: boolean },
): Promise<(now: Date) => Promise<CarriedOver>> => {
  const { rows } = await client.query<{ empty: boolean }>(
    `select not exists (select from devices) and not exists (select from projects) as empty`,
  );
  // A database without anything may have an older schema: the backup's.
  const isEmpty = rows[0]!.empty;
  if (!isEmpty) for (const text of remember) await client.query(text);
  return async (now) => {
    const tagged = isLater ? 0 : (await client.query(tagProjects, [now, checkReason])).rowCount;
    const checks = tagged ?? 0;
    if (isEmpty) return { tags: 0, inspections: 0, checks, lost: [] };
    const changed: number[] = [];
    for (const text of bringBack) {
      const { rowCount } = await client.query(text, text.includes('$1') ? [now] : []);
      changed.push(rowCount ?? 0);
    }
    const [reopened, placed, covered, trips] = changed;
    const lost = await client.query<{ number: string }>(
      `select distinct number from (select number from kept_cover union select number from kept_trips) kept
       where not exists (select from devices where devices.number = kept.number and ${notDeletedSql('devices')})
       order by number limit ${mostNamed}`,
    );
    return {
      tags: reopened! + placed! + covered!,
      inspections: trips!,
      checks,
      lost: lost.rows.map(({ number }) => number),
    };
  };
};
