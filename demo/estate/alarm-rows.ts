import { alarmTypeOf, severityOf } from '#contract/alarm-catalogue.ts';
import { seesProject } from '#server/core/scope.ts';
import type { Episode } from './alarms.ts';
import { historyBoot, iso } from './commands.ts';
import { zoneOffsetMs } from './load.ts';
import type { FurnishedUser } from './people.ts';
import { type Random, randomOf } from './random.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const freshMs = 3 * dayMs;
const phaseLetters = [null, 'a', 'b', 'c', 'n'];

const findings = [
  '已现场检查，紧固接线端子，读数恢复正常',
  '已通知用户减少负载，电流恢复正常',
  '已更换老化线缆，绝缘测试合格',
  '供电公司线路波动，已恢复，持续观察',
  '已清理配电箱灰尘并加强通风',
  '设备断电检修后重新上线',
  '误报，参数已与现场核对',
  '已安排电工复查，未发现异常',
];

export interface Handled {
  alarmId: number;
  at: number;
  user: FurnishedUser;
  content: string;
  projectId: number;
  deviceId: number;
}
/** The facts of an alarm that its recipients get. */
export interface NotifiedAlarm {
  id: number;
  lineId: number;
  episode: Episode;
  severity: number;
  receivedAt: number;
  handledAt: number | null;
  urgedAt: number | null;
}
interface AlarmRows {
  alarms: object[];
  history: object[];
  /** Log entries of occurrences shorter than two seconds. */
  events: object[];
  /** All alarms except suppressed ones and those shorter than two seconds. */
  notified: NotifiedAlarm[];
  workOrders: { day: string; last: number }[];
  handled: Handled[];
}

const localDay = (at: number) => new Date(at + zoneOffsetMs).toISOString().slice(0, 10);

const handlingOf = (episode: Episode, now: number, random: Random): number | null => {
  const chance = random.next();
  const waited = (4 + 400 * random.next() ** 3) * minuteMs;
  if (episode.handling === 'open' || episode.handling === 'none' || episode.parent) return null;
  const age = now - episode.raisedAt;
  if (episode.handling === 'chance' && chance > (age > freshMs ? 0.96 : 0.6)) return null;
  const at = Math.floor(episode.raisedAt + waited);
  return at < now - minuteMs ? at : null;
};

const messageOf = (episode: Episode, eid: string, boot: number) => ({
  v: 1,
  boot,
  seq: 1,
  t: episode.raisedAt,
  eid,
  kind: 'alarm',
  st: 'raise',
  code: episode.code,
  lvl: episode.level,
  n: episode.line?.n ?? 0,
  ph: phaseLetters[episode.phase],
  val: episode.value,
  thr: episode.threshold,
  unit: alarmTypeOf(episode.code)!.unit,
});

/** Rows of alarms, their steps and work orders; `episodes` are in the order in which they were raised. */
export const alarmRows = (
  episodes: readonly Episode[],
  users: readonly FurnishedUser[],
  given: { now: number; seed: string | number },
): AlarmRows => {
  const { now } = given;
  const random = randomOf(given.seed, 'handling');
  const boot = historyBoot(now);
  const ids = new Map(episodes.map((episode, index) => [episode, index + 1]));
  const orders = new Map<string, number>();
  const result: AlarmRows = {
    alarms: [],
    history: [],
    events: [],
    notified: [],
    workOrders: [],
    handled: [],
  };
  for (const episode of episodes) {
    const id = ids.get(episode)!;
    const { device, code, level, raisedAt, clearedAt } = episode;
    const lineId = episode.line?.id ?? device.lineZero;
    const receivedAt = raisedAt + Math.floor(random.between(40, 400));
    const day = localDay(receivedAt);
    const order = (orders.get(day) ?? 0) + 1;
    orders.set(day, order);
    const handledAt = handlingOf(episode, now, random);
    const allowed = users.filter((user) => seesProject(user.scope, device.projectId));
    const user = random.pick(allowed);
    const content = random.pick(findings);
    const isMoment = episode.handling === 'none';
    const urgedAt = !episode.parent && !isMoment && random.chance(0.12) ? raisedAt + 2 * minuteMs : null;
    const isUrged = urgedAt !== null && urgedAt < now && urgedAt < (handledAt ?? now);
    const eventId = episode.source === 'device' ? `${boot}-${id}` : null;
    const early = level === 2 && episode.escalatedAt !== null;
    const figures = { value: episode.value, threshold: episode.threshold };

    const steps: { at: number; kind: string; user_id?: number; data: object }[] = [
      { at: raisedAt, kind: 'raised', data: { level: early ? 1 : level, ...figures } },
    ];
    if (episode.parent) steps.push({ at: raisedAt, kind: 'suppressed', data: { code: episode.parent.code } });
    if (episode.escalatedAt !== null)
      steps.push({ at: episode.escalatedAt, kind: 'escalated', data: { level, ...figures } });
    if (isUrged) steps.push({ at: urgedAt, kind: 'urged', user_id: user.id, data: { channel: 'web' } });
    if (episode.normalAt !== null) steps.push({ at: episode.normalAt, kind: 'normal', data: {} });
    if (clearedAt !== null)
      steps.push({ at: clearedAt, kind: episode.latched ? 'reset' : 'cleared', data: {} });
    if (handledAt !== null)
      steps.push({ at: handledAt, kind: 'handled', user_id: user.id, data: { content, channel: 'web' } });
    if (isMoment && clearedAt !== null) {
      steps.push({ at: clearedAt, kind: 'fleeting', data: {} });
      const line = { line_id: lineId, code, phase: episode.phase, level, ...figures, event_id: eventId };
      result.events.push(
        { ...line, at: iso(raisedAt), kind: 'raised' },
        { ...line, at: iso(clearedAt), kind: 'cleared' },
      );
    }
    steps.sort((a, b) => a.at - b.at);
    for (const [index, step] of steps.entries())
      result.history.push({
        line_id: lineId,
        alarm_id: id,
        seq: index + 1,
        at: iso(step.at),
        kind: step.kind,
        user_id: step.user_id ?? null,
        data: step.data,
      });
    if (!isMoment && !episode.parent)
      result.notified.push({
        id,
        lineId,
        episode,
        severity: severityOf(code, level),
        receivedAt,
        handledAt,
        urgedAt: isUrged ? urgedAt : null,
      });
    if (handledAt !== null)
      result.handled.push({
        alarmId: id,
        at: handledAt,
        user,
        content,
        projectId: device.projectId!,
        deviceId: device.id,
      });
    result.alarms.push({
      line_id: lineId,
      id,
      device_id: device.id,
      project_id: device.projectId,
      part_id: device.partId,
      code,
      phase: episode.phase,
      level,
      severity: severityOf(code, level),
      source: episode.source,
      event_id: eventId,
      work_order: `W${day.replaceAll('-', '')}${String(order).padStart(6, '0')}`,
      raised_at: iso(raisedAt),
      received_at: iso(receivedAt),
      last_at: iso(clearedAt ?? episode.normalAt ?? raisedAt),
      cleared_at: clearedAt === null ? null : iso(clearedAt),
      normal_at: episode.normalAt === null ? null : iso(episode.normalAt),
      latched: episode.latched,
      suppressed_by: episode.parent ? ids.get(episode.parent)! : null,
      occurrences: episode.occurrences,
      value: episode.value,
      peak: episode.peak,
      threshold: episode.threshold,
      value_type: alarmTypeOf(code)!.valueType,
      snapshot: episode.snapshot,
      original: eventId === null ? null : messageOf(episode, eventId, boot),
      late: false,
      handled_at: handledAt === null ? null : iso(handledAt),
      handled_by: handledAt === null ? null : user.id,
      handled_channel: handledAt === null ? null : 'web',
      handling_content: handledAt === null ? null : content,
      urged: isUrged ? 1 : 0,
      urged_at: isUrged ? iso(urgedAt) : null,
      tags: episode.tags,
      deleted_at: isMoment && clearedAt !== null ? iso(clearedAt) : null,
      revision: steps.length,
    });
  }
  result.workOrders = [...orders].map(([day, last]) => ({ day, last }));
  return result;
};
