import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { accountsOf } from '#server/core/account.ts';
import { holds } from '#server/core/scope.ts';
import { standingTags } from './control.facts.ts';
import { permissionFor } from './control.guard.ts';
import { askedPosition } from './control.life.ts';
import type { CommandRow } from './control.store.ts';

export const withdrawals = ['unbound', 'tagged', 'denied'] as const;
export type Withdrawal = (typeof withdrawals)[number];

/**
 * Why closes that were allowed may not go out after all, by command: each waited its turn, and meanwhile a tag was
 * hung, the device went to another project, or its operator lost the right. Opening is never held back.
 */
export const withdrawn = async (
  db: Db,
  commands: readonly CommandRow[],
): Promise<ReadonlyMap<string, Withdrawal>> => {
  const closes = commands.filter(({ verb, state }) => state === 'created' && askedPosition(verb) === 1);
  if (closes.length === 0) return new Map();
  const deviceIds = [...new Set(closes.map((command) => command.deviceId))];
  const devices = await db
    .selectFrom('devices')
    .innerJoin('projects', 'projects.id', 'devices.project_id')
    .select(['devices.id', 'devices.project_id', 'devices.part_id'])
    .where('devices.id', '=', sql<number>`any(${deviceIds}::int[])`)
    .where('devices.deleted_at', 'is', null)
    .where('projects.deleted_at', 'is', null)
    .execute();
  const placeOf = new Map(devices.map((device) => [device.id, device]));
  const tags = await standingTags(db, {
    lineIds: closes.map((command) => command.lineId),
    deviceIds,
    projectIds: [...new Set(devices.flatMap(({ project_id }) => project_id ?? []))],
  });
  const operators = await accountsOf(
    db,
    closes.flatMap(({ userId }) => userId ?? []),
  );
  const reasonOf = ({ deviceId, lineId, userId, verb }: CommandRow): Withdrawal | null => {
    const place = placeOf.get(deviceId);
    if (!place) return 'unbound';
    const isTagged = tags.some(
      (tag) => tag.line_id === lineId || tag.device_id === deviceId || tag.project_id === place.project_id,
    );
    if (isTagged) return 'tagged';
    if (userId === null) return null;
    const operator = operators.get(userId);
    const may =
      operator?.permissions.has(permissionFor(verb)) &&
      holds(operator.scope, place.project_id, place.part_id);
    return may ? null : 'denied';
  };
  return new Map(
    closes.flatMap((command) => {
      const reason = reasonOf(command);
      return reason ? [[command.id, reason] as const] : [];
    }),
  );
};
