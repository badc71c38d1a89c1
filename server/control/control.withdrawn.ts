import type { Db } from '#database/connect.ts';
import { accountOf } from '#server/core/account.ts';
import { holds } from '#server/core/scope.ts';
import { deviceFacts, standingTags } from './control.facts.ts';
import { permissionFor } from './control.guard.ts';
import { askedPosition } from './control.life.ts';
import type { CommandRow } from './control.store.ts';

export const withdrawals = ['unbound', 'tagged', 'denied'] as const;

/**
 * Why a close that was allowed may not go out after all: it waited its turn, and meanwhile a tag was hung, the device
 * went to another project, or its operator lost the right. Null: nothing of that kind. Opening is never held back.
 */
export const withdrawn = async (
  db: Db,
  command: CommandRow,
): Promise<(typeof withdrawals)[number] | null> => {
  if (askedPosition(command.verb) !== 1) return null;
  const [device] = await deviceFacts(db, [command.deviceId]);
  if (!device || device.projectId === null) return 'unbound';
  const tags = await standingTags(db, {
    lineIds: [command.lineId],
    deviceIds: [device.id],
    projectIds: [device.projectId],
  });
  if (tags.length > 0) return 'tagged';
  if (command.userId === null) return null;
  const operator = await accountOf(db, command.userId);
  const may =
    operator?.permissions.has(permissionFor(command.verb)) &&
    holds(operator.scope, device.projectId, device.partId);
  return may ? null : 'denied';
};
