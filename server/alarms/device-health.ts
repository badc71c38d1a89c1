/**
 * Conditions that no message reports: a weak link for a long time (802), and a service that is about to
 * expire (806).
 */

import { sql } from 'kysely';
import type { Logger } from 'pino';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { Db } from '#database/connect.ts';
import type { Clock } from '#server/core/clock.ts';
import type { GroupFinding, LineRef } from '#server/core/group.ts';
import { lineRefsOf } from '#server/core/line-ref.ts';
import { createRounds } from '#server/core/rounds.ts';
import { defaultZone } from '#server/core/zone.ts';

const lookEveryMs = 60_000;
const lastsMs = 900_000;
const weak = { early: -100, alarm: -110, good: -97 };
const expiring = { early: 30, alarm: 7 };

interface Row {
  lineId: number;
  deviceId: number;
  projectId: number | null;
  rssi: number | null;
  daysLeft: number | null;
  /** Level of the server's active alarm, by code. */
  weakLevel: number | null;
  expiringLevel: number | null;
}

const rowsOf = async (db: Db, now: number): Promise<Row[]> => {
  const today = sql`(${new Date(now)}::timestamptz at time zone coalesce(p.time_zone, ${defaultZone}))::date`;
  const { rows } = await sql<Row>`
    select line.id as "lineId", d.id as "deviceId", d.project_id as "projectId",
      case when s.online and s.last_seen > ${new Date(now - lastsMs)} then s.rssi end as rssi,
      d.expires_on - ${today} as "daysLeft", w.level as "weakLevel", e.level as "expiringLevel"
    from devices d
      join lines line on line.device_id = d.id and line.n = 0
      left join device_state s on s.device_id = d.id
      left join projects p on p.id = d.project_id
      left join alarms w on w.line_id = line.id and w.code = ${alarmCodes.weakLink} and w.phase = 0 and w.cleared_at is null
        and w.source = 'server'
      left join alarms e on e.line_id = line.id and e.code = ${alarmCodes.expiring} and e.phase = 0 and e.cleared_at is null
        and e.source = 'server'
    where s.rssi < ${weak.early} or w.id is not null or e.id is not null
      or (d.project_id is not null and d.expires_on <= ${today} + ${expiring.early}::int)
    order by line.id`.execute(db);
  return rows;
};

/** Level of a value that gets worse as it falls: 2 below `alarm`, 1 below `early`, else 0. */
const levelOf = (value: number | null, limit: { early: number; alarm: number }): 0 | 1 | 2 =>
  value === null ? 0 : value < limit.alarm ? 2 : value < limit.early ? 1 : 0;

export interface Survey {
  start(): void;
  /** Checks all devices once. A timer calls this every minute; tests call it directly. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** Checks every minute; a weak link counts after 15 min, and so does its recovery (deadband 3 dBm). */
export const createSurvey = (deps: {
  db: Db;
  clock: Clock;
  record: (finding: GroupFinding) => Promise<void>;
  log: Logger;
}): Survey => {
  const { db, clock, record, log } = deps;
  const weakSince = new Map<number, { early: number; alarm: number }>();
  const goodSince = new Map<number, number>();
  const judgeLink = async (row: Row, line: LineRef, now: number): Promise<void> => {
    const level = levelOf(row.rssi, weak);
    const before = weakSince.get(row.deviceId);
    if (level === 0) weakSince.delete(row.deviceId);
    else
      weakSince.set(row.deviceId, {
        early: before?.early ?? now,
        alarm: level === 2 ? Math.min(before?.alarm ?? now, now) : Number.POSITIVE_INFINITY,
      });
    if (row.weakLevel !== null && row.rssi !== null && row.rssi > weak.good) {
      const since = goodSince.get(row.deviceId) ?? now;
      goodSince.set(row.deviceId, since);
      if (now - since >= lastsMs)
        await record({ line, code: alarmCodes.weakLink, level: 1, active: false, value: row.rssi, at: now });
    } else goodSince.delete(row.deviceId);
    const since = weakSince.get(row.deviceId);
    if (!since) return;
    const reached = now - since.alarm >= lastsMs ? 2 : now - since.early >= lastsMs ? 1 : 0;
    if (reached > (row.weakLevel ?? 0))
      await record({
        line,
        code: alarmCodes.weakLink,
        level: reached === 2 ? 2 : 1,
        active: true,
        value: row.rssi,
        at: now,
      });
  };

  const judgeExpiry = async (row: Row, line: LineRef, now: number): Promise<void> => {
    const days = row.projectId === null ? null : row.daysLeft;
    const level = levelOf(days === null ? null : days - 0.5, expiring);
    if (level === 0 && row.expiringLevel !== null)
      await record({ line, code: alarmCodes.expiring, level: 1, active: false, value: days, at: now });
    else if (level > (row.expiringLevel ?? 0))
      await record({
        line,
        code: alarmCodes.expiring,
        level: level === 2 ? 2 : 1,
        active: true,
        value: days,
        at: now,
      });
  };

  const look = async () => {
    const now = clock.now();
    const rows = await rowsOf(db, now);
    // A device with a good link has no row: its next weak period counts from its own beginning.
    const found = new Set(rows.map((row) => row.deviceId));
    for (const deviceId of weakSince.keys()) if (!found.has(deviceId)) weakSince.delete(deviceId);
    const lines = await lineRefsOf(
      db,
      rows.map((row) => row.lineId),
    );
    for (const row of rows) {
      const line = lines.get(row.lineId);
      if (!line) continue;
      await judgeLink(row, line, now);
      await judgeExpiry(row, line, now);
    }
    if (weakSince.size > 100_000) weakSince.clear();
  };
  const rounds = createRounds({
    name: 'survey of devices',
    clock,
    log,
    async round() {
      await look();
      return clock.now() + lookEveryMs;
    },
  });
  return { start: rounds.start, look, stop: rounds.stop };
};
