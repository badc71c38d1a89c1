import { sql } from 'kysely';
import type { Hazard } from '#contract/hazards.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { isProved, type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
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

/** Whether the caller gave the password recently. A password in the call is always checked. */
export const provesIdentity = async (
  call: Call<{ password?: string | undefined }>,
  provePassword: ProvePassword,
): Promise<boolean> => {
  if (call.body.password === undefined) return isProved(call);
  await proveIdentity(call, provePassword, call.body.password);
  return true;
};

/** Lines that a limit or an alarm type of many devices affects. */
export interface LinesConcerned {
  readonly deviceTypes: readonly number[];
  /** null: in every project. */
  readonly projectId: number | null;
  /** Limits that change: lines with values of their own are not affected. null: all lines are. */
  readonly limits: readonly string[] | null;
}
const mostNamed = 5;
/** Lock-out tags on the devices of these lines, as a text; undefined if there is none. */
const tagsOnMany = async (
  db: Db,
  { deviceTypes, projectId, limits }: LinesConcerned,
): Promise<string | undefined> => {
  const { rows } = await sql<{ number: string; reason: string; username: string; total: number }>`
    select d.number, tag.reason, u.username, count(*) over () as total
    from active_tags tag join users u on u.id = tag.owner_id join devices d on d.id = tag.device_id and ${notDeleted('d')}
    where d.type = any(${deviceTypes}::smallint[]) and (${projectId}::int is null or d.project_id = ${projectId}::int)
      and (${limits}::text[] is null or exists (
        select from lines l join effective_thresholds limits on limits.line_id = l.id
        where l.device_id = d.id and l.n > 0
          and not (case when ${projectId}::int is null then set_in_project else set_in_device end ?& ${limits}::text[])))
    order by tag.tag_id, d.id limit ${mostNamed}`.execute(db);
  if (rows.length === 0) return undefined;
  const named = rows.map(({ number, reason, username }) => `${number}: ${reason} (${username})`);
  return named.join('; ') + (rows[0]!.total > rows.length ? '; …' : '');
};

type Asked = Pick<Call<unknown>, 'db' | 'caller'>;
const refuse = async (
  call: Asked,
  hazard: Hazard | null,
  { tags, proved }: { tags: () => Promise<string | undefined>; proved: boolean },
): Promise<void> => {
  if (hazard === null) return;
  if (hazard === 'closes' && !call.caller.permissions.has('line.switch')) fault('permission.denied');
  const tag = await tags();
  if (tag !== undefined) fault('control.tagged', { with: { reason: tag }, data: { reason: 'tagged' } });
  if (!proved) fault('control.passwordNeeded', { data: { reason: 'password_needed' } });
};

/**
 * Refuses what may close a line or weaken its protection, under the same conditions as a close: the
 * permission to switch, no lock-out tag on the device, a recent password. The password is checked last, so
 * that a user does not enter it in vain.
 */
export const mustBeSafe = (
  call: Asked,
  hazard: Hazard | null,
  { deviceId, proved }: { deviceId: number | null; proved: boolean },
): Promise<void> => {
  const tags = async () =>
    deviceId === null ? undefined : (await tagTexts(call.db, [deviceId])).get(deviceId);
  return refuse(call, hazard, { tags, proved });
};

/**
 * Makes the same checks for values that the server keeps for many lines at once: refuses while a tag is on any
 * of these lines.
 */
export const mustBeSafeForAll = (
  call: Asked,
  hazard: Hazard | null,
  { concerned, proved }: { concerned: LinesConcerned; proved: boolean },
): Promise<void> => refuse(call, hazard, { tags: () => tagsOnMany(call.db, concerned), proved });
