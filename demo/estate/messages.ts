import type { MessageKey } from '#contract/message-words.ts';
import type { MessageType } from '#contract/messages.ts';
import { builtInRoles } from '#contract/permissions.ts';
import { historyDays } from './alarms.ts';
import { iso } from './commands.ts';
import type { FurnishedDevice, FurnishedLine } from './devices.ts';
import { zoneOffsetMs } from './load.ts';
import type { FurnishedPlace, FurnishedUser } from './people.ts';
import { randomOf } from './random.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Messages older than this have been read. */
const seenAfterMs = 20 * hourMs;

export interface PlannedMessage {
  user: FurnishedUser;
  at: number;
  type: MessageType;
  key: MessageKey;
  data: Record<string, unknown>;
  projectId?: number | null;
  deviceId?: number;
  alarmId?: number;
  dedupe: string;
}

/** Project, device and line as users read them. */
export const placeNamed = (
  places: readonly FurnishedPlace[],
  device: FurnishedDevice,
  line: FurnishedLine | null,
): string =>
  [places.find(({ id }) => id === device.projectId)?.name, device.name, line?.name]
    .filter(Boolean)
    .join(' / ');

const localText = (at: number) => new Date(at + zoneOffsetMs).toISOString().slice(0, 16).replace('T', ' ');

/** Messages to users that are not about alarms. */
export const planMessages = (
  places: readonly FurnishedPlace[],
  devices: readonly FurnishedDevice[],
  users: readonly FurnishedUser[],
  now: number,
): PlannedMessage[] => {
  const called = (username: string) => users.find((user) => user.username === username);
  const at = (daysAgo: number, time: string) => {
    const day = new Date(now - daysAgo * dayMs + zoneOffsetMs).toISOString().slice(0, 10);
    return Date.parse(`${day}T${time}:00Z`) - zoneOffsetMs;
  };
  const welcome = users.map(
    (user): PlannedMessage => ({
      user,
      at: now - (user.role === builtInRoles.admin ? 2 * 60_000 : 30 * dayMs),
      type: 'system',
      key: 'system.demo',
      data: {
        projects: places.length,
        devices: devices.length,
        live: devices.filter(({ silentSince }) => silentSince === null).length,
        days: historyDays,
      },
      dedupe: 'demo',
    }),
  );
  const missed = [
    { by: 'admin', place: 0, line: '1F走廊照明', dueAt: at(6, '19:00') },
    { by: 'office-sz', place: 0, line: '1F大堂照明', dueAt: at(6, '19:00') },
  ].flatMap(({ by, place, line: name, dueAt }): PlannedMessage[] => {
    const user = called(by);
    const device = devices.find(
      (each) => each.projectId === places[place]!.id && each.lines.some((line) => line.name === name),
    );
    const line = device?.lines.find((each) => each.name === name);
    if (!user || !device || !line) return [];
    return [
      {
        user,
        at: dueAt + 11 * 60_000,
        type: 'timer',
        key: 'timer.missed',
        data: {
          place: placeNamed(places, device, line),
          action: 'open',
          time: localText(dueAt),
          reason: 'timer.late',
        },
        projectId: device.projectId,
        deviceId: device.id,
        dedupe: `timer ${line.id} ${dueAt}`,
      },
    ];
  });
  const gone = [called('admin'), called('duty')]
    .filter((user) => user !== undefined)
    .map(
      (user): PlannedMessage => ({
        user,
        at: at(3, '09:20'),
        type: 'system',
        key: 'push.gone',
        data: {},
        dedupe: `push of ${user.username}`,
      }),
    );
  return [...welcome, ...missed, ...gone];
};

/**
 * Rows in order of time, one per message even if several rules sent it; most of those before today have been
 * read.
 */
export const messageRows = (
  messages: readonly PlannedMessage[],
  given: { now: number; seed: string | number },
): object[] => {
  const random = randomOf(given.seed, 'messages');
  const once = new Map(messages.map((message) => [`${message.user.id} ${message.dedupe}`, message]));
  const order = [...once.values()].sort((a, b) => a.at - b.at || a.user.id - b.user.id);
  return order
    .filter(({ at }) => at <= given.now)
    .map(({ user, at, type, key, data, projectId, deviceId, alarmId, dedupe }) => {
      const readAt = at + Math.floor(random.between(1, 240) * 60_000);
      const isRead = random.chance(0.92) && given.now - at > seenAfterMs;
      return {
        user_id: user.id,
        type,
        key,
        data,
        project_id: projectId ?? null,
        device_id: deviceId ?? null,
        alarm_id: alarmId ?? null,
        at: iso(at),
        read_at: isRead ? iso(readAt) : null,
        dedupe,
      };
    });
};
