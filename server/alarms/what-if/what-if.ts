/**
 * How many alarms another limit, deadband or delay would have caused on some lines in the last days. Changes
 * nothing.
 */
import { sql } from 'kysely';
import { alarmTypeOf, effectiveValue, usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import { crossedBy } from '#contract/crossed-limits.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { flawOf, type Parameter, parameterOf } from '#contract/parameters.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import { mostReplayEpisodes, mostTriedLines, triedKeysOf, type whatIfEndpoints } from '#contract/what-if.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { createLane, LaneFull } from '#server/core/lane.ts';
import { lineRefsOf } from '#server/core/line-ref.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { seenFrom } from '#server/core/ownership.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';
import { ClientLeft, runInWorker, TooHeavy } from '#server/core/worker.ts';
import type { Episode } from './replay.ts';
import type { LineAnswer, ReplayedLine, ReplayJob } from './worker.ts';

type LinesBody = BodyOf<typeof whatIfEndpoints.lines>;
type LinesReply = ReplyOf<typeof whatIfEndpoints.lines>;
type ReplayBody = BodyOf<typeof whatIfEndpoints.replay>;
type ReplayReply = ReplyOf<typeof whatIfEndpoints.replay>;

const dayMs = 86_400_000;
const worker = new URL('./worker.ts', import.meta.url);
/** Two threads at once: readings and alarms of the installation have priority. */
const lane = createLane({ atOnce: 2, waiting: 4 });
const limits = { cpuMilliseconds: 30_000, megabytes: 256 };
const retrySeconds = 5;

const mustFit = (code: number, key: string): Parameter => {
  if (!alarmTypeOf(code)) fault('alarmType.missing');
  const known = triedKeysOf(code).includes(key) ? parameterOf(key) : undefined;
  return known ?? fault('request.invalid', { fields: { key: 'setting.unknown' } });
};

interface CandidateRow {
  line_id: number;
  n: number;
  line_name: string;
  device_id: number;
  device_number: string;
  device_name: string;
  project_id: number | null;
  type: DeviceType;
  ratedCurrent: number | null;
  nominal_voltage: number | null;
  thresholds: Record<string, number>;
  own: number | null;
  on_device: boolean;
  revision: number;
  settings_revision: number;
  total: number;
}

/** A foreign project or device gets the same answer as an unknown one. */
const mustSee = async (
  db: Db,
  scope: Scope,
  { project_id, device_id, line_id }: LinesBody,
): Promise<void> => {
  if (project_id !== undefined) await mustSeeProject(db, scope, project_id);
  if (device_id === undefined && line_id === undefined) return;
  const { rows } = await sql`
    select d.id from devices d ${line_id === undefined ? sql`` : sql`join lines l on l.device_id = d.id and l.id = ${line_id}`}
    where ${notDeleted('d')} and ${inScope(scope, 'd.project_id', 'd.part_id')}
      and ${device_id === undefined ? sql`true` : sql`d.id = ${device_id}`}`.execute(db);
  if (rows.length === 0) fault(line_id === undefined ? 'device.missing' : 'line.missing');
};

/** Lines to which the type applies; the total also counts those beyond the maximum. */
export const triedLines = async (db: Db, scope: Scope, body: LinesBody): Promise<LinesReply> => {
  const { project_id, device_id, line_id, typeNumber, key } = body;
  const parameter = mustFit(typeNumber, key);
  await mustSee(db, scope, body);
  const type = alarmTypeOf(typeNumber)!;
  const types = type.types.filter((each) => parameter.types.includes(each));
  const is = (column: string, value: number | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;
  const { rows } = await sql<CandidateRow>`
    select l.id as line_id, l.n, l.name as line_name, d.id as device_id, d.number as device_number,
      d.name as device_name, d.project_id, d.type, l.rated_current as "ratedCurrent", p.nominal_voltage, e.thresholds,
      (l.thresholds ->> ${key})::float8 as own, l.revision, coalesce(s.revision, 0) as settings_revision,
      coalesce(r.payload -> 'p' -> l.n::text ? ${key}, false) as on_device, count(*) over ()::int as total
    from lines l join devices d on d.id = l.device_id join effective_thresholds e on e.line_id = l.id
      left join projects p on p.id = d.project_id
      left join device_reported r on r.device_id = d.id and r.kind = 'cfg'
      left join device_settings s on s.device_id = d.id
    where ${is('d.project_id', project_id)} and ${is('d.id', device_id)} and ${is('l.id', line_id)}
      and ${notDeleted('d')} and l.n > 0 and d.type = any(${types}::smallint[])
      and ${inScope(scope, 'd.project_id', 'd.part_id')}
    order by d.number, l.n limit ${mostTriedLines}`.execute(db);
  const { rows: off } = await sql`
    select 1 from alarm_types where code = ${typeNumber} and not enabled`.execute(db);
  return {
    enabled: off.length === 0,
    total: rows[0]?.total ?? 0,
    unit: parameter.unit,
    value_unit: type.unit,
    min: parameter.min,
    max: parameter.max,
    step: parameter.step,
    lines: rows.map(({ type: deviceType, ratedCurrent, nominal_voltage, thresholds, total: _, ...row }) => ({
      ...row,
      value:
        effectiveValue(key, {
          type: deviceType,
          ratedCurrent,
          nominalVoltage: nominal_voltage ?? usualNominalVoltage,
          thresholds,
        }) ?? null,
    })),
  };
};

/** Since when the scope may see the history of each line. */
const seenLines = async (
  db: Db,
  scope: Scope,
  lineIds: readonly number[],
): Promise<ReadonlyMap<number, number>> => {
  const { rows } = await sql<{ id: number; since: Date }>`
    select l.id, ${seenFrom(scope, 'd.id')} as since from lines l join devices d on d.id = l.device_id
    where l.id = any(${[...lineIds]}::int[]) and l.n > 0 and ${notDeleted('d')}
      and ${inScope(scope, 'd.project_id', 'd.part_id')}`.execute(db);
  return new Map(rows.map(({ id, since }) => [id, since.getTime()]));
};

/** Times at which an operator or the device reset each line, ascending: latched alarms end then. */
const resetsOf = async (
  db: Db,
  lineIds: readonly number[],
  since: Date,
): Promise<ReadonlyMap<number, number[]>> => {
  const { rows } = await sql<{ line_id: number; at: Date }>`
    select distinct line_id, at from alarm_history
    where line_id = any(${[...lineIds]}::int[]) and kind = 'reset' and at >= ${since} order by at`.execute(
    db,
  );
  const resets = new Map<number, number[]>();
  for (const { line_id, at } of rows) resets.set(line_id, [...(resets.get(line_id) ?? []), at.getTime()]);
  return resets;
};

interface WhatIfWork {
  databaseUrl: string;
  now: number;
  signal: AbortSignal;
}
/** The lines are looked up in the caller's scope; their readings are then judged in a separate thread. */
export const replayLines = async (
  db: Db,
  scope: Scope,
  body: ReplayBody,
  { databaseUrl, now, signal }: WhatIfWork,
): Promise<ReplayReply> => {
  const { typeNumber: code, key, value, days, chart } = body;
  const lineIds = [...new Set(body.line_ids)];
  mustFit(code, key);
  const [seen, refs] = [await seenLines(db, scope, lineIds), await lineRefsOf(db, lineIds)];
  const since = now - days * dayMs;
  const resets = await resetsOf(db, lineIds, new Date(since));
  const lines = lineIds.map((id): ReplayedLine => {
    const [ref, from] = [refs.get(id), seen.get(id)];
    if (!ref || from === undefined) return fault('line.missing');
    const flaw = flawOf(key, value, ref.type);
    if (flaw) fault('request.invalid', { fields: { value: `setting.${flaw}` } });
    return { ref, seenFrom: from, resets: resets.get(id) ?? [] };
  });
  const job: ReplayJob = { databaseUrl, lines, code, key, value, since, until: now, chart };
  const answers = await run(job, signal);
  const crosses = new Map(
    lines.map(({ ref }) => [
      ref.lineId,
      crossedBy(key, { ...ref, thresholds: { ...ref.thresholds, [key]: value } }),
    ]),
  );
  return {
    since: new Date(since).toISOString(),
    until: new Date(now).toISOString(),
    lines: answers.map((answer) => ({ ...shown(answer), crosses: crosses.get(answer.lineId) ?? null })),
  };
};

const run = async (job: ReplayJob, signal: AbortSignal): Promise<LineAnswer[]> => {
  try {
    return await lane(() => runInWorker<LineAnswer[]>(worker, job, { ...limits, signal }));
  } catch (error) {
    if (error instanceof LaneFull) throw new Fault('request.tooMany', { with: { seconds: retrySeconds } });
    if (error instanceof TooHeavy || error instanceof ClientLeft) throw new Fault('alarm.replayHeavy');
    throw error;
  }
};

type LineShown = ReplayReply['lines'][number];
const shown = (answer: LineAnswer): Omit<LineShown, 'crosses'> => ({
  line_id: answer.lineId,
  readings: answer.readings,
  first_reading: answer.first === null ? null : new Date(answer.first).toISOString(),
  before: countsOf(answer.before),
  after: countsOf(answer.after),
  remain: named(answer.remain),
  lowered: named(answer.lowered),
  missed: named(answer.missed),
  added: named(answer.added),
  limits: answer.limits,
  chart: answer.chart,
});
const countsOf = (episodes: readonly Episode[]): LineShown['before'] => {
  const alarms = episodes.filter(({ level }) => level === 2).length;
  return { raised: episodes.length, alarms, early_warnings: episodes.length - alarms };
};
/** Most severe first, then newest. */
const named = (episodes: readonly Episode[]): LineShown['missed'] => ({
  count: episodes.length,
  episodes: episodes
    .toSorted((one, other) => one.severity - other.severity || other.at - one.at)
    .slice(0, mostReplayEpisodes)
    .map(({ at, endedAt, ...episode }) => ({
      ...episode,
      at: new Date(at).toISOString(),
      ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    })),
});
