import { sql } from 'kysely';
import type * as z from 'zod';
import type { BodyOf } from '#contract/endpoint.ts';
import type { tagEndpoints, tagRow } from '#contract/tags.ts';
import type { Db } from '#database/connect.ts';
import { openStates } from '#server/control/states.ts';
import type { TagChange } from '#server/core/bus.ts';
import { displayName } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import { holds, inScope, projectInScope, type Scope } from '#server/core/scope.ts';
import { mustManageProject } from '#server/core/visible-project.ts';

type TagRow = z.output<typeof tagRow>;
/** The equipment and project of a tag. */
export interface TagPlace {
  on: TagChange['on'];
  projectId: number | null;
  partId: number | null;
}

export const tags = (db: Db) =>
  db
    .selectFrom('lockout_tags as tag')
    .leftJoin('lines', 'lines.id', 'tag.line_id')
    .leftJoin('devices', (join) =>
      join.on(sql<boolean>`devices.id = coalesce(tag.device_id, lines.device_id)`),
    )
    .leftJoin('projects', (join) =>
      join.on(sql<boolean>`projects.id = coalesce(tag.project_id, devices.project_id)`),
    )
    .innerJoin('users as owner', 'owner.id', 'tag.owner_id')
    .leftJoin('users as remover', 'remover.id', 'tag.removed_by');
/**
 * Users who see only parts of a project also see tags on the whole project, because these forbid closing there.
 */
export const visibleTags = (scope: Scope) =>
  scope.all
    ? sql<boolean>`true`
    : sql<boolean>`((${inScope(scope, 'devices.project_id', 'devices.part_id')}
          and ${inOwnTime(scope, 'devices.id', 'tag.set_at')})
        or ${projectInScope(scope, 'tag.project_id')})`;
const columns = [
  'tag.id',
  'tag.line_id',
  'tag.device_id',
  'tag.project_id',
  'tag.reason',
  'tag.photo_id',
  'tag.review_at',
  'tag.set_at',
  'tag.removed_at',
  'tag.removal_reason',
  'tag.owner_id',
  'owner.username',
  'owner.nickname',
  'remover.username as remover',
  'devices.number',
  'devices.part_id',
  'lines.name as line_name',
  'projects.id as in_project',
  'projects.name as project_name',
] as const;
const holding = sql<number>`case when tag.removed_at is null then (
  select count(*) from device_reported replyOf
  where replyOf.device_id in (select device_id from active_tags where tag_id = tag.id)
    and replyOf.kind = 'cfg' and (replyOf.payload -> 'timers' @> '[{"action":"close","en":1}]'
      or replyOf.payload -> 'en' -> 'auto_reclose' = 'true')) else 0 end`.as('holding');
const one = (db: Db, tagId: number) =>
  tags(db)
    .select([...columns, holding])
    .where('tag.id', '=', tagId)
    .executeTakeFirst();
type StoredTag = NonNullable<Awaited<ReturnType<typeof one>>>;

const replyOf = (row: StoredTag, now: number): TagRow => ({
  tag_id: row.id,
  on: row.line_id !== null ? 'line' : row.device_id !== null ? 'device' : 'project',
  line_id: row.line_id,
  device_id: row.device_id,
  project_id: row.in_project,
  project_name: row.project_name ?? '',
  device_number: row.number ?? '',
  line_name: row.line_name ?? '',
  reason: row.reason,
  photo_id: row.photo_id,
  review_at: row.review_at?.toISOString() ?? null,
  review_due: row.removed_at === null && row.review_at !== null && row.review_at.getTime() <= now,
  holding: row.holding,
  owner: displayName(row),
  owner_id: row.owner_id,
  set_at: row.set_at.toISOString(),
  removed_at: row.removed_at?.toISOString() ?? null,
  removed_by: row.remover,
  removal_reason: row.removal_reason,
});
const placeOf = (row: StoredTag): TagPlace => ({
  on:
    row.line_id !== null
      ? { lineId: row.line_id }
      : row.device_id !== null
        ? { deviceId: row.device_id }
        : { projectId: row.project_id! },
  projectId: row.in_project,
  partId: row.project_id === null ? row.part_id : null,
});

export const tagStore = (db: Db) => ({
  async list(scope: Scope, body: BodyOf<typeof tagEndpoints.list>, now: number) {
    const {
      page,
      limit,
      sort = '-set_at',
      line_id,
      device_id,
      project_id,
      covering_device_id,
      standing,
    } = body;
    let query = tags(db).where(visibleTags(scope));
    if (standing) query = query.where('tag.removed_at', 'is', null);
    if (line_id !== undefined) query = query.where('tag.line_id', '=', line_id);
    if (device_id !== undefined) query = query.where('devices.id', '=', device_id);
    if (project_id !== undefined) query = query.where('projects.id', '=', project_id);
    if (covering_device_id !== undefined)
      query = query.where((eb) =>
        eb.or([
          eb('devices.id', '=', covering_device_id),
          eb(
            'tag.project_id',
            '=',
            eb
              .selectFrom('devices as covered')
              .select('covered.project_id')
              .where('covered.id', '=', covering_device_id),
          ),
        ]),
      );
    const column = sort.endsWith('review_at') ? ('tag.review_at' as const) : ('tag.set_at' as const);
    const [counted, rows] = [
      await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      await query
        .select([...columns, holding])
        .orderBy(column, (order) =>
          sort.startsWith('-') ? order.desc().nullsLast() : order.asc().nullsLast(),
        )
        .orderBy('tag.id', 'desc')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute(),
    ];
    return { list: rows.map((row) => replyOf(row, now)), total: counted.total, page, limit };
  },

  /**
   * The equipment for a new tag, with its devices' rows locked until commit: a close that is being decided
   * waits or is visible.
   */
  async hold(scope: Scope, body: BodyOf<typeof tagEndpoints.preview>): Promise<TagPlace> {
    if (body.project_id !== undefined) {
      const project = await mustManageProject(db, scope, body.project_id);
      await db
        .selectFrom('devices')
        .select('id')
        .where('project_id', '=', project.id)
        .orderBy('id')
        .forNoKeyUpdate()
        .execute();
      return { on: { projectId: project.id }, projectId: project.id, partId: null };
    }
    const line =
      body.line_id === undefined
        ? null
        : await db
            .selectFrom('lines')
            .select(['id', 'device_id'])
            .where('id', '=', body.line_id)
            .where('n', '>', 0)
            .executeTakeFirst();
    if (line === undefined) return fault('line.missing');
    const device = await db
      .selectFrom('devices')
      .select(['id', 'project_id', 'part_id'])
      .where('id', '=', line?.device_id ?? body.device_id!)
      .where(notDeleted('devices'))
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!device) return fault(line ? 'line.missing' : 'device.missing');
    return {
      on: line ? { lineId: line.id } : { deviceId: device.id },
      projectId: device.project_id,
      partId: device.part_id,
    };
  },

  async add(
    place: TagPlace,
    ownerId: number,
    body: BodyOf<typeof tagEndpoints.set>,
    now: number,
  ): Promise<TagRow> {
    const { id } = await db
      .insertInto('lockout_tags')
      .values({
        line_id: 'lineId' in place.on ? place.on.lineId : null,
        device_id: 'deviceId' in place.on ? place.on.deviceId : null,
        project_id: 'projectId' in place.on ? place.on.projectId : null,
        reason: body.reason,
        photo_id: body.photo_id ?? null,
        review_at: body.review_at === undefined ? null : new Date(body.review_at),
        owner_id: ownerId,
        set_at: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return replyOf((await one(db, id))!, now);
  },

  /** Lines under the tag that an earlier close may still reach. */
  async closing({ on }: TagPlace): Promise<number> {
    const row = await db
      .selectFrom('commands')
      .innerJoin('devices', 'devices.id', 'commands.device_id')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('commands.verb', '=', 'close')
      .where('commands.state', 'in', openStates)
      .where(
        'lineId' in on
          ? sql<boolean>`commands.line_id = ${on.lineId}`
          : 'deviceId' in on
            ? sql<boolean>`devices.id = ${on.deviceId}`
            : sql<boolean>`devices.project_id = ${on.projectId}`,
      )
      .executeTakeFirstOrThrow();
    return row.count;
  },

  /** An active tag in the scope, its row locked; throws `tag.missing`. */
  async holdTag(scope: Scope, tagId: number): Promise<{ tag: TagRow; place: TagPlace }> {
    await db.selectFrom('lockout_tags').select('id').where('id', '=', tagId).forUpdate().execute();
    const row = await one(db, tagId);
    if (!row || row.removed_at !== null) return fault('tag.missing');
    const place = placeOf(row);
    if (!holds(scope, place.projectId, place.partId)) return fault('tag.missing');
    return { tag: replyOf(row, row.set_at.getTime()), place };
  },

  async review(tagId: number, reviewAt: string | undefined, now: number): Promise<TagRow> {
    await db
      .updateTable('lockout_tags')
      .set({ review_at: reviewAt === undefined ? null : new Date(reviewAt), reminded_at: null })
      .where('id', '=', tagId)
      .execute();
    return replyOf((await one(db, tagId))!, now);
  },

  async remove(tagId: number, by: number, reason: string | undefined, now: number): Promise<TagRow> {
    await db
      .updateTable('lockout_tags')
      .set({ removed_at: new Date(now), removed_by: by, removal_reason: reason ?? null })
      .where('id', '=', tagId)
      .execute();
    return replyOf((await one(db, tagId))!, now);
  },

  /** Tags with a due review that was not reported yet; marks them as reported. */
  async takeDueReviews(now: number): Promise<TagChange[]> {
    const taken = await db
      .updateTable('lockout_tags')
      .set({ reminded_at: new Date(now) })
      .where('removed_at', 'is', null)
      .where('reminded_at', 'is', null)
      .where('review_at', '<=', new Date(now))
      .returning('id')
      .execute();
    const changes: TagChange[] = [];
    for (const { id } of taken) {
      const row = (await one(db, id))!;
      changes.push({ tagId: id, kind: 'review', ...placeOf(row), ownerId: row.owner_id });
    }
    return changes;
  },
  async nextReview(): Promise<number | null> {
    const row = await db
      .selectFrom('lockout_tags')
      .select('review_at')
      .where('removed_at', 'is', null)
      .where('reminded_at', 'is', null)
      .where('review_at', 'is not', null)
      .orderBy('review_at')
      .limit(1)
      .executeTakeFirst();
    return row?.review_at?.getTime() ?? null;
  },
});
