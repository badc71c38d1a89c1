import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { defaultZone } from '#server/core/zone.ts';
import { type Post, postMessage } from './messages.store.ts';

const expiringCode = alarmCodes.expiring;

/**
 * Notifies a timer's author that it did not run, a tag's owner that it is due for review, and the users
 * responsible for a device that its service is about to expire. Every node receives the events; the message
 * is written once. Returns a stop function, which waits for current writes.
 */
export const listenForMessages = (deps: {
  db: Db;
  bus: Bus;
  clock: Clock;
  onError: (error: unknown) => void;
}): (() => Promise<void>) => {
  const { db, bus, clock, onError } = deps;
  let running: Promise<void> = Promise.resolve();
  const post = (make: () => Promise<Post>) => {
    running = running
      .then(async () => {
        const userIds = await postMessage(db, await make());
        if (userIds.length > 0) bus.emit('message.posted', { userIds });
      })
      .catch(onError);
  };

  const stops = [
    bus.on('timer.ran', (run) => {
      if (run.outcome !== 'missed') return;
      post(async () => {
        const { place, zone } = await placeOf(db, { lineId: run.lineId });
        return {
          userIds: [run.authorId],
          type: 'timer',
          key: 'timer.missed',
          data: {
            place,
            action: run.action,
            time: DateTime.fromMillis(run.dueAt, { zone }).toFormat('yyyy-MM-dd HH:mm'),
            reason: run.reason ?? '',
          },
          projectId: run.projectId,
          deviceId: run.deviceId,
          dedupe: `timer ${run.timerId} ${run.dueAt}`,
          now: clock.now(),
        };
      });
    }),
    bus.on('tag.changed', (tag) => {
      if (tag.kind !== 'review') return;
      post(async () => {
        const { place, deviceId } = await placeOf(db, tag.on);
        const row = await db
          .selectFrom('lockout_tags')
          .select(['reason', 'review_at'])
          .where('id', '=', tag.tagId)
          .executeTakeFirst();
        return {
          userIds: [tag.ownerId],
          type: 'tag',
          key: 'tag.review',
          data: { place, reason: row?.reason ?? '' },
          projectId: tag.projectId,
          deviceId,
          dedupe: `tag ${tag.tagId} ${row?.review_at?.getTime() ?? ''}`,
          now: clock.now(),
        };
      });
    }),
    bus.on('alarms.changed', (changes) => {
      for (const change of changes) {
        if (change.code !== expiringCode || (change.kind !== 'raised' && change.kind !== 'escalated'))
          continue;
        const { deviceId, projectId, partId, level, alarmId } = change;
        post(async () => {
          const { place } = await placeOf(db, { deviceId });
          const device = await db
            .selectFrom('devices')
            .select(sql<string>`expires_on::text`.as('date'))
            .where('id', '=', deviceId)
            .executeTakeFirst();
          return {
            userIds: await keepersOf(db, projectId, partId),
            type: 'device',
            key: 'device.expiring',
            data: { place, date: device?.date ?? '' },
            projectId,
            deviceId,
            alarmId,
            dedupe: `expiring ${deviceId} ${device?.date ?? ''} ${level}`,
            now: clock.now(),
          };
        });
      }
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await running;
  };
};

/**
 * The users responsible for a project or a part; if there are none, the region's administrators, else the
 * platform's.
 */
const keepersOf = async (db: Db, projectId: number | null, partId: number | null): Promise<number[]> => {
  const { admin, regionalAdmin } = builtInRoles;
  const { rows } = await sql<{ id: number; rank: number }>`
    select users.id, case roles.code when ${admin} then 3 when ${regionalAdmin} then 2 else 1 end as rank
    from users join roles on roles.id = users.role_id
    where ${isActiveAccount} and (roles.code = ${admin} or exists (select from user_scopes theirs
      where theirs.user_id = users.id and theirs.project_id = ${projectId}::int
        and (theirs.part_id is null or theirs.part_id = ${partId}::int)
        and (not theirs.by_region or roles.code = ${regionalAdmin})))
    order by rank, users.id`.execute(db);
  return rows.filter((row) => row.rank === rows[0]?.rank).map((row) => row.id);
};

/** Project, device and line in words, and the project's zone. */
const placeOf = async (
  db: Db,
  on: { lineId: number } | { deviceId: number } | { projectId: number },
): Promise<{ place: string; zone: string; deviceId: number | null }> => {
  const { rows } = await sql<{
    project: string | null;
    device: string | null;
    line: string | null;
    zone: string | null;
    device_id: number | null;
  }>`
    select p.name as project, coalesce(nullif(d.name, ''), d.number) as device, d.id as device_id,
      case when l.n > 0 then coalesce(nullif(l.name, ''), l.n::text) end as line, p.time_zone as zone
    from (select ${'lineId' in on ? on.lineId : null}::int as line_id, ${'deviceId' in on ? on.deviceId : null}::int as device_id,
        ${'projectId' in on ? on.projectId : null}::int as project_id) given
      left join lines l on l.id = given.line_id
      left join devices d on d.id = coalesce(given.device_id, l.device_id)
      left join projects p on p.id = coalesce(given.project_id, d.project_id)`.execute(db);
  const [row] = rows;
  return {
    place: [row?.project, row?.device, row?.line].filter(Boolean).join(' / '),
    zone: row?.zone ?? defaultZone,
    deviceId: row?.device_id ?? null,
  };
};
