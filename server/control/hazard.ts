import type { Hazard } from '#contract/hazards.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { isProved, type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import type { Call } from '#server/core/serve.ts';
import { tagsOver } from './facts.ts';

/** Texts and owners of the lock-out tags on each device, on its lines or on its project. */
export const tagTexts = async (
  db: Db,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, string>> => {
  if (deviceIds.length === 0) return new Map();
  const texts = new Map<number, Set<string>>();
  for (const { device_id, reason, username } of await tagsOver(db, deviceIds))
    texts.set(device_id, (texts.get(device_id) ?? new Set()).add(`${reason} (${username})`));
  return new Map([...texts].map(([deviceId, of]) => [deviceId, [...of].join('; ')]));
};

/** Whether the caller gave the password recently. One that is given with the call is checked in any case. */
export const provesIdentity = async (
  call: Call<{ password?: string | undefined }>,
  provePassword: ProvePassword,
): Promise<boolean> => {
  if (call.body.password === undefined) return isProved(call);
  await proveIdentity(call, provePassword, call.body.password);
  return true;
};

/**
 * Refuses what may close a line or weaken its protection, on the same terms as a close: the right to switch, no
 * lock-out tag on the device, a recent password. The password comes last, so that nobody enters it in vain.
 */
export const mustBeSafe = async (
  call: Pick<Call<unknown>, 'db' | 'caller'>,
  hazard: Hazard | null,
  { deviceId, proved }: { deviceId: number | null; proved: boolean },
): Promise<void> => {
  if (hazard === null) return;
  if (hazard === 'closes' && !call.caller.permissions.has('line.switch')) fault('permission.denied');
  const tag = deviceId === null ? undefined : (await tagTexts(call.db, [deviceId])).get(deviceId);
  if (tag !== undefined) fault('control.tagged', { with: { reason: tag }, data: { reason: 'tagged' } });
  if (!proved) fault('control.passwordNeeded', { data: { reason: 'password_needed' } });
};
