import type { Operation } from '#server/core/operation-log.ts';
import type { Handled } from './alarm-rows.ts';
import type { CommandRow } from './commands.ts';
import { uuidOf } from './commands.ts';
import type { FurnishedDevice } from './devices.ts';
import type { FurnishedUser } from './people.ts';
import { randomOf } from './random.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const logDays = 14;

const addressOf = (userId: number) => `10.20.${1 + (userId % 8)}.${10 + (userId % 200)}`;

/**
 * Acts of the administrator on the pages of version upgrade, settings and database, matching the demo rows.
 */
const upkeep: readonly { ago: number; key: string; parameters: Record<string, unknown> }[] = [
  {
    ago: 11 * dayMs,
    key: 'settings.set',
    parameters: { name: 'retention.messagesDays', before: 90, after: 180 },
  },
  { ago: 9 * dayMs, key: 'database.optimise', parameters: { tables: ['deliveries', 'messages'] } },
  { ago: 4 * dayMs, key: 'version.add', parameters: { mac_type: 3, appVersion: '1.5.0' } },
  { ago: 2 * dayMs, key: 'database.optimise', parameters: { tables: ['rollup_hour', 'rollup_day'] } },
  { ago: 26 * hourMs, key: 'version.rollout', parameters: { appVersion: '1.5.0', canary_percent: 10 } },
  { ago: 24 * hourMs, key: 'version.changeRollout', parameters: { appVersion: '1.5.0', act: 'pause' } },
];

/** Acts of users in the last two weeks, in order. */
export const planOperations = (
  users: readonly FurnishedUser[],
  devices: readonly FurnishedDevice[],
  commands: readonly CommandRow[],
  handled: readonly Handled[],
  given: { now: number; seed: string | number },
): Operation[] => {
  const { now, seed } = given;
  const random = randomOf(seed, 'operations');
  const since = now - logDays * dayMs;
  const projectOf = new Map(devices.map((device) => [device.id, device.projectId]));
  type Draft = Omit<Operation, 'requestId'>;
  const drafts: Draft[] = [];
  const by = (user: { id: number; username: string }, at: number) => ({
    at: new Date(at),
    userId: user.id,
    operator: user.username,
    channel: 'web',
    address: addressOf(user.id),
    outcome: 'done' as const,
    code: 200,
    projectId: null,
    deviceId: null,
  });
  for (const user of users)
    for (let day = 0; day < logDays; day += 1 + Math.floor(random.next() * 3)) {
      const at = Math.floor(since + day * dayMs + random.between(0, 0.95) * dayMs);
      drafts.push({ ...by(user, at), key: 'session.signIn', parameters: { username: user.username } });
    }
  for (const one of handled.filter(({ at }) => at >= since))
    drafts.push({
      ...by(one.user, one.at),
      key: 'alarm.handle',
      projectId: one.projectId,
      deviceId: one.deviceId,
      parameters: { id: one.alarmId, handling_content: one.content },
    });
  for (const command of commands.filter(({ created_at }) => Date.parse(created_at) >= since))
    drafts.push({
      ...by({ id: command.user_id, username: command.operator }, Date.parse(command.created_at)),
      key: 'control.command',
      channel: command.cause === 'api' ? 'api' : 'web',
      projectId: projectOf.get(command.device_id) ?? null,
      deviceId: command.device_id,
      parameters: { device_id: command.device_id, line_id: command.line_id, action: command.verb },
    });
  const [admin] = users;
  if (admin)
    for (const { ago, key, parameters } of upkeep) drafts.push({ ...by(admin, now - ago), key, parameters });
  return drafts
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a.userId ?? 0) - (b.userId ?? 0))
    .map((draft) => ({ ...draft, requestId: uuidOf(random) }));
};
