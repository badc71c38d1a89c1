import { sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { timerEndpoints } from '#contract/timers.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { defaultZone } from '#server/core/zone.ts';
import { daysOf, nextRun, zoneNamed } from './timers.rules.ts';

type Given = Omit<BodyOf<typeof timerEndpoints.add>, 'line_id'>;
interface Place {
  projectId: number | null;
  deviceId: number;
  number: string;
  line: number;
}

/** How many timers a device can store, from its capabilities: 'timer16'. */
export const heldMost = (caps: readonly string[]): number =>
  Math.max(0, ...caps.map((cap) => Number(/^timer(\d{1,2})$/.exec(cap)?.[1] ?? 0)));

export const timerChanges = (db: Db) => {
  const lineOf = async (scope: Scope, lineId: number) => {
    const line = await db
      .selectFrom('lines')
      .innerJoin('devices', 'devices.id', 'lines.device_id')
      .leftJoin('projects', 'projects.id', 'devices.project_id')
      .select([
        'lines.id',
        'lines.n',
        'lines.switchable',
        'devices.id as device_id',
        'devices.number',
        'devices.caps',
        'devices.project_id',
        'projects.time_zone',
      ])
      .where('lines.id', '=', lineId)
      .where('lines.n', '>', 0)
      .where(notDeleted('devices'))
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .executeTakeFirst();
    return line ?? fault('line.missing');
  };
  type Line = Awaited<ReturnType<typeof lineOf>>;

  /** The lowest free number of a timer in the device. The device's row is locked until commit. */
  const freeSlot = async (line: Line): Promise<number> => {
    const most = heldMost(line.caps);
    if (most === 0) return fault('timer.notHeld', { fields: { run_by: 'timer.notHeld' } });
    await db.selectFrom('devices').select('id').where('id', '=', line.device_id).forNoKeyUpdate().execute();
    const used = await db
      .selectFrom('timers')
      .select('slot')
      .where('device_id', '=', line.device_id)
      .where('slot', 'is not', null)
      .execute();
    for (let slot = 1; slot <= most; slot++) if (!used.some((row) => row.slot === slot)) return slot;
    return fault('timer.full', { with: { most }, fields: { run_by: 'timer.full' } });
  };

  const ruled = (given: Given, line: Line, now: number) => {
    if (!line.switchable) fault('timer.line', { fields: { line_id: 'timer.line' } });
    if (line.project_id === null) fault('control.unbound');
    const zone = line.time_zone ?? defaultZone;
    const rule = {
      type: given.type,
      days: given.type === 'weekly' ? daysOf(given) : 0,
      date: given.type === 'once' ? (given.date ?? null) : null,
      time: given.time,
    };
    const next = nextRun(rule, zoneNamed(zone), now);
    if (next === null) fault('timer.past', { fields: { date: 'timer.past' } });
    return {
      ...rule,
      action: given.action,
      enabled: given.enabled,
      run_by: given.run_by,
      project_id: line.project_id,
      zone,
      done_at: null,
      next_at: given.enabled && next !== null ? new Date(next) : null,
    };
  };
  const placeOf = (line: Line): Place => ({
    projectId: line.project_id,
    deviceId: line.device_id,
    number: line.number,
    line: line.n,
  });
  const copyChanges = (deviceId: number, now: number) =>
    db
      .insertInto('timer_copies')
      .values({ device_id: deviceId, state: 'pending', changed_at: new Date(now), ...noCopy })
      .onConflict((conflict) =>
        conflict
          .column('device_id')
          .doUpdateSet({ state: 'pending', changed_at: new Date(now), tries: 0, reason: null }),
      )
      .execute();

  return {
    async add(scope: Scope, authorId: number, body: BodyOf<typeof timerEndpoints.add>, now: number) {
      const line = await lineOf(scope, body.line_id);
      const values = ruled(body, line, now);
      const slot = body.run_by === 'device' ? await freeSlot(line) : null;
      const { id } = await db
        .insertInto('timers')
        .values({
          ...values,
          device_id: line.device_id,
          line_id: line.id,
          slot,
          author_id: authorId,
          created_at: new Date(now),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (slot !== null) await copyChanges(line.device_id, now);
      return { id, place: placeOf(line) };
    },

    /** Null if another user changed the timer meanwhile. */
    async edit(scope: Scope, authorId: number, body: BodyOf<typeof timerEndpoints.edit>, now: number) {
      const timer = await db
        .selectFrom('timers')
        .innerJoin('devices', 'devices.id', 'timers.device_id')
        .selectAll('timers')
        .where('timers.id', '=', body.timer_id)
        .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
        .forUpdate('timers')
        .executeTakeFirst();
      if (!timer) return fault('timer.missing');
      if (timer.revision !== body.revision) return null;
      const line = await lineOf(scope, timer.line_id);
      const values = ruled(body, line, now);
      const slot = body.run_by === 'server' ? null : (timer.slot ?? (await freeSlot(line)));
      await db
        .updateTable('timers')
        .set((row) => ({ ...values, slot, author_id: authorId, revision: row('revision', '+', 1) }))
        .where('id', '=', timer.id)
        .execute();
      if (slot !== null || timer.slot !== null) await copyChanges(line.device_id, now);
      return placeOf(line);
    },

    async remove(scope: Scope, ids: readonly number[], now: number) {
      const mine = await db
        .selectFrom('timers')
        .innerJoin('devices', 'devices.id', 'timers.device_id')
        .select(['timers.id', 'timers.device_id', 'timers.slot', 'devices.project_id'])
        .where('timers.id', '=', sql<number>`any(${[...ids]}::int[])`)
        .where(notDeleted('devices'))
        .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
        .orderBy('timers.id')
        .forUpdate('timers')
        .execute();
      if (mine.length > 0)
        await db
          .deleteFrom('timers')
          .where(
            'id',
            'in',
            mine.map((timer) => timer.id),
          )
          .execute();
      const held = new Set(mine.filter((timer) => timer.slot !== null).map((timer) => timer.device_id));
      for (const deviceId of [...held].sort((a, b) => a - b)) await copyChanges(deviceId, now);
      const projectOf = new Map(mine.map((timer) => [timer.id, timer.project_id]));
      return {
        deviceIds: [...new Set(mine.map((timer) => timer.device_id))],
        /** The project of each removed timer. */
        projectOf,
        results: ids.map((id) => ({
          id,
          result: projectOf.has(id) ? ('done' as const) : ('denied' as const),
        })),
      };
    },
  };
};
const noCopy = { reason: null, zone: null, push_id: null, pushed_at: null };
