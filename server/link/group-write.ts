import type pg from 'pg';
import { Batch, type Statement } from '#server/core/batch.ts';
import type { GroupEvent, Judgement } from '#server/core/group.ts';
import { rankLowest } from '#server/core/report-order.ts';
import { markSql } from '#server/core/rollup-marks.ts';
import { writersEnded } from '#server/core/under-way.ts';
import type { Answer, Group, Item, LineFacts } from './group.ts';
import { encodeReadings, encodeReports, readingColumns } from './group-encode.ts';
import { writeConfigs, writeInfos } from './reported.ts';
import { fact, factNames } from './tele.ts';

const begin: Statement = { name: 'link-begin', text: 'begin' };
const commit: Statement = { name: 'link-commit', text: 'commit' };
/** Lock order: devices, then lines, then their reports, as switching does. */
const devicesSql = `select id from devices where id = any($1::integer[]) order by id for no key update`;
const copySql = `copy readings (${readingColumns}) from stdin (format binary)`;
const factColumns = factNames
  .flatMap((name) => [name, `${name}_at`, `${name}_boot`, `${name}_seq`])
  .join(', ');
/** Takes a fact from a newer report: newer by boot, then by sequence; the clock does not count. */
const takeNewerFacts = factNames
  .map((name) => {
    const isNewer = `excluded.${name}_at is not null and (excluded.${name}_boot, excluded.${name}_seq)
        > (coalesce(l.${name}_boot, -1), coalesce(l.${name}_seq, -1))`;
    return [name, `${name}_at`, `${name}_boot`, `${name}_seq`]
      .map((column) => `${column} = case when ${isNewer} then excluded.${column} else l.${column} end`)
      .join(', ');
  })
  .join(',\n      ');
const carried = factNames
  .map((name) => {
    const bit = fact[name];
    return `r.${name}, case when r.carries & ${bit} > 0 then r.at end, case when r.carries & ${bit} > 0 then r.boot end,
      case when r.carries & ${bit} > 0 then r.seq end`;
  })
  .join(',\n      ');
/** The readings that are not the newest of their line in this group. */
const others = (first: number) =>
  `select * from unnest($${first}::integer[], $${first + 1}::timestamptz[], $${first + 2}::boolean[])`;
const dirtySql = markSql(others(1));
const reportSql = `
    with marked as (${markSql(`select line_id, at, false from unnest($1::line_report[]) union all ${others(2)}`)})
    insert into line_latest as l (line_id, at, received_at, boot, seq, energy, channels, ${factColumns})
    select r.line_id, r.at, r.received_at, r.boot, r.seq, r.energy, r.channels,
      ${carried}
    from unnest($1::line_report[]) r
    on conflict (line_id) do update set
      at = excluded.at, received_at = excluded.received_at, boot = excluded.boot, seq = excluded.seq,
      energy = coalesce(excluded.energy, l.energy), channels = excluded.channels,
      ${takeNewerFacts}
    where (excluded.boot, excluded.seq) > (l.boot, l.seq)`;
const factsSql = `
  insert into line_latest as l (line_id, at, received_at, boot, seq, channels, ${factColumns})
  select line_id, 'epoch', received_at, -1, -1, '{}', ${factColumns}
  from unnest($1::integer[], $2::timestamptz[],
    $3::smallint[], $4::timestamptz[], $5::bigint[], $6::bigint[],
    $7::smallint[], $8::timestamptz[], $9::bigint[], $10::bigint[],
    $11::smallint[], $12::timestamptz[], $13::bigint[], $14::bigint[])
    as u (line_id, received_at, ${factColumns})
  on conflict (line_id) do update set
      ${takeNewerFacts}`;
const restartSql = rankLowest('$1');
const formerSql = `with forgotten as (delete from device_seen where device_id = any($1::integer[])) ${restartSql}`;
const seenSql = `
  insert into device_seen as s (device_id, boots)
  select * from unnest($1::integer[], $2::jsonb[])
  on conflict (device_id) do update set boots = excluded.boots`;
const onlineSql = `
  insert into device_state as s (device_id, online, online_changed_at, last_seen)
  select id, online, at, case when online then at end
  from unnest($1::integer[], $2::boolean[], $3::timestamptz[]) as u (id, online, at)
  on conflict (device_id) do update set
    online = excluded.online,
    online_changed_at = case when s.online = excluded.online then s.online_changed_at else excluded.online_changed_at end,
    last_seen = greatest(s.last_seen, excluded.last_seen)`;
const positionSql = `
  insert into position_events (line_id, at, boot, seq, position, cause, code, command_id, received_at)
  select * from unnest($1::integer[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::smallint[], $6::text[],
    $7::smallint[], $8::uuid[], $9::timestamptz[])
  on conflict do nothing`;
const answerSql = `
  insert into command_answers (command_id, device_id, received_at, ack)
  select * from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::jsonb[])`;
const storedSql = `
  select k from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) as u (k, line, b, s)
  where exists (select from readings where line_id = line and boot = b::bit(32)::integer and seq = s::bit(32)::integer)
     or exists (select from position_events where line_id = line and boot = b and seq = s)`;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const iso = (ms: number) => new Date(ms).toISOString();

export const readReportOid = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ oid: number }>(`select 'line_report'::regtype::oid::bigint as oid`);
  return rows[0]!.oid;
};

/**
 * Waits until the groups that are being written have ended: a killed node may have sent one completely, and
 * PostgreSQL still commits it. Only then do the stored rows show which messages are new.
 */
export const waitForOthers = async (pool: pg.Pool): Promise<void> => {
  await writersEnded(pool, 'line_latest');
};

/** What these devices have reported until now ranks below all that they report later. */
export const rankFormer = async (pool: pg.Pool, devices: readonly Item['device'][]): Promise<void> => {
  await pool.query(formerSql, [devices.map(({ id }) => id)]);
};

/**
 * Finds stored items among those that are older than the memory of their devices. An answer counts as stored if
 * a stored report or move has its number.
 */
export const findStored = async (pool: pg.Pool, items: readonly Item[]): Promise<Set<Item>> => {
  const keys: [number[], number[], number[], number[]] = [[], [], [], []];
  items.forEach(({ device, content }, index) => {
    if (content.kind !== 'tele' && content.kind !== 'event' && content.kind !== 'ack') return;
    for (const line of linesOf(device, content)) {
      keys[0].push(index);
      keys[1].push(line);
      keys[2].push(content.boot);
      keys[3].push(content.seq);
    }
  });
  const { rows } = await pool.query<{ k: number }>(storedSql, keys);
  return new Set(rows.flatMap(({ k }) => items[k] ?? []));
};

const linesOf = (
  device: Item['device'],
  content: Extract<Item['content'], { kind: 'tele' | 'event' | 'ack' }>,
): number[] => {
  if (content.kind === 'tele') return content.rows.map((row) => row.lineId);
  if (content.kind === 'event') return [content.event.line.lineId];
  return device.lines.flatMap((line) => line?.ref.lineId ?? []);
};

/**
 * Writes the group in one transaction; when it returns, everything is on disk. Its statements are sent
 * together with those of the judgement, because each wait for the database costs more than a statement.
 */
export const writeGroup = async (
  client: pg.PoolClient,
  group: Group,
  judgement: Judgement,
  reportOid: number,
): Promise<void> => {
  const batch = new Batch(client);
  const held = heldDevices(group);
  const isOne = judgement.empty && held.length === 0;
  if (!isOne) batch.add(begin);
  if (held.length > 0) batch.add({ name: 'link-devices', text: devicesSql, values: [held] });
  if (group.infos.length + group.configs.length > 0) {
    await batch.send();
    await writeInfos(client, group.infos);
    await writeConfigs(client, group.configs);
  }
  for (const statement of statementsOf(group, reportOid)) batch.add(statement);
  if (!judgement.empty) await judgement.write(batch);
  if (!isOne) batch.add(commit);
  await batch.send();
};

/**
 * Devices to lock: those with a description, and those whose event begins an alarm that may forbid closing.
 * For a reading that forbids closing, a close under way is serialised at the line's row of `line_latest`.
 * Decision 0054.
 */
const heldDevices = ({ infos, configs, events }: Group): number[] => [
  ...[...infos, ...configs].map(({ device }) => device.id),
  ...events.flatMap(({ line, message }) =>
    message.kind === 'alarm' && message.st === 'raise' && message.lvl === 2 ? [line.deviceId] : [],
  ),
];

const statementsOf = function* (group: Group, reportOid: number): Iterable<Statement> {
  const { rows, reports, seen, restarted } = group;
  if (restarted.length > 0)
    yield { name: 'link-restart', text: restartSql, values: [restarted.map((device) => device.id)] };
  if (rows.length > 0) yield { name: 'link-copy', text: copySql, copied: encodeReadings(rows) };
  // The marks are written after the readings are copied, as the mark requires.
  const marks = marksOf(group);
  if (reports.length > 0)
    yield { name: 'link-report', text: reportSql, values: [encodeReports(reports, reportOid), ...marks] };
  else if (rows.length > 0) yield { name: 'link-dirty', text: dirtySql, values: marks };
  yield* factStatements(group.facts);
  yield* positionStatements(group.events);
  yield* answerStatements(group.answers);
  if (group.online.length > 0) yield onlineStatement(group);
  if (seen.length > 0)
    yield {
      name: 'link-seen',
      text: seenSql,
      values: [seen.map((device) => device.id), seen.map((device) => JSON.stringify(device.seen))],
    };
};

/** The rows besides the newest of each line; rounds do not find those that never were the newest. */
const marksOf = ({ rows, reports }: Group): unknown[] => {
  const newest = new Set(reports);
  const rest = rows.filter((row) => !newest.has(row));
  return [rest.map((row) => row.lineId), rest.map((row) => iso(row.at)), rest.map((row) => !row.latest)];
};

const onlineStatement = (group: Group): Statement => {
  const last = new Map(group.online.map((change) => [change.device.id, change]));
  const changes = [...last.values()].sort((a, b) => a.device.id - b.device.id);
  return {
    name: 'link-online',
    text: onlineSql,
    values: [
      changes.map((change) => change.device.id),
      changes.map((change) => change.online),
      changes.map((change) => iso(change.at)),
    ],
  };
};

/** The command part reads answers from here, so that their effect survives the end of this process. */
const answerStatements = function* (answers: readonly Answer[]): Iterable<Statement> {
  const known = answers.filter(({ message }) => uuidPattern.test(message.id));
  if (known.length === 0) return;
  yield {
    name: 'link-answer',
    text: answerSql,
    values: [
      known.map(({ message }) => message.id),
      known.map(({ device }) => device.id),
      known.map(({ receivedAt }) => iso(receivedAt)),
      known.map(({ message }) => JSON.stringify(message)),
    ],
  };
};

const positionStatements = function* (events: readonly GroupEvent[]): Iterable<Statement> {
  const changes = events.flatMap((event) =>
    event.message.kind === 'pos' ? [{ ...event, message: event.message }] : [],
  );
  if (changes.length === 0) return;
  changes.sort((a, b) => a.line.lineId - b.line.lineId || a.at - b.at);
  yield {
    name: 'link-position',
    text: positionSql,
    values: [
      changes.map((change) => change.line.lineId),
      changes.map((change) => iso(change.at)),
      changes.map((change) => change.message.boot),
      changes.map((change) => change.message.seq),
      changes.map((change) => change.message.sw),
      changes.map((change) => change.message.by),
      changes.map((change) => change.message.code ?? null),
      changes.map(({ message: { id } }) => (id && uuidPattern.test(id) ? id : null)),
      changes.map((change) => iso(change.receivedAt)),
    ],
  };
};

/** Facts that did not come with the newest report of their line. */
const factStatements = function* (facts: readonly LineFacts[]): Iterable<Statement> {
  if (facts.length === 0) return;
  const columns = factNames.flatMap((name) => [
    facts.map((line) => line[name]?.value ?? null),
    facts.map((line) => (line[name] ? iso(line[name].at) : null)),
    facts.map((line) => line[name]?.boot ?? null),
    facts.map((line) => line[name]?.seq ?? null),
  ]);
  yield {
    name: 'link-facts',
    text: factsSql,
    values: [facts.map((line) => line.lineId), facts.map((line) => iso(line.receivedAt)), ...columns],
  };
};
