/**
 * Active alarms whose condition had ended and began again, as only late readings show: by the live ones it never
 * ended. Who handled the alarm before that has not handled what began again. Decision 0558.
 */
import type pg from 'pg';
import type { Batch } from '#server/core/batch.ts';
import type { GroupReading, LineRef } from '#server/core/group.ts';
import { Draft } from './changes.ts';
import { judgeReading } from './evaluate-reading.ts';
import type { LineChecks } from './limits.ts';
import { type ActiveRow, activeColumns, alarmOf } from './load.ts';
import { AlarmMemory, keyOf, type LineState } from './memory.ts';

export interface Returned {
  readonly alarmId: number;
  readonly lineId: number;
  /** The time of the reading that shows the end. */
  readonly goneAt: number;
  /** Since when live readings show the condition again; null: none does yet. */
  readonly againAt: number | null;
}

interface Active extends ActiveRow {
  handled_at: Date | null;
}
export const activeOf = async (client: pg.ClientBase, lineId: number): Promise<Active[]> => {
  const { rows } = await client.query<Active>(
    `select ${activeColumns}, a.handled_at from alarms a
     where a.line_id = $1 and a.cleared_at is null and a.normal_at is null order by a.raised_at, a.id`,
    [lineId],
  );
  return rows;
};

interface Followed {
  readonly row: Active;
  readonly key: number;
  /** NaN: it has not ended. */
  goneAt: number;
  again: Received | null;
  /** Live readings since it had ended. */
  live: Received[];
}
type Received = Pick<GroupReading, 'at' | 'receivedAt'>;

interface ReturnSearch {
  /** The readings of the line in order, since the first of the alarms was raised. */
  take(reading: GroupReading, isLive: boolean): void;
  found(): Returned[];
}

/** Follows these active alarms of a line through its readings, in a separate memory. */
export const searchReturns = (ref: LineRef, checks: LineChecks, active: readonly Active[]): ReturnSearch => {
  const memory = new AlarmMemory();
  const state = memory.line(ref.lineId, ref.deviceId);
  const draft = new Draft(() => false);
  const waiting = [...active];
  const followed: Followed[] = [];
  return {
    take(reading, isLive) {
      for (let row = waiting[0]; row && row.raised_at.getTime() <= reading.at; row = waiting[0]) {
        waiting.shift();
        memory.take({ ...alarmOf(row), late: false }, false);
        const key = keyOf(row.code, row.phase);
        followed.push({ row, key, goneAt: Number.NaN, again: null, live: [] });
      }
      judgeReading(draft, { state, checks, orphans: [] }, reading, () => true);
      for (const one of followed) follow(one, state, reading, isLive);
    },
    found: () => followed.flatMap(returnOf),
  };
};

const follow = (one: Followed, state: LineState, reading: GroupReading, isLive: boolean): void => {
  const condition = state.conditions.get(one.key);
  const active = condition?.active ?? null;
  const { at, receivedAt } = reading;
  const hasEnded = active === null || active.normalAt !== null;
  if (hasEnded && (Number.isNaN(one.goneAt) || one.again !== null))
    Object.assign(one, { goneAt: at, again: null, live: [] });
  if (Number.isNaN(one.goneAt)) return;
  if (isLive) one.live.push({ at, receivedAt });
  if (hasEnded) return;
  const since = condition && condition.early <= at ? condition.early : active.raisedAt;
  one.again ??= one.live.find((live) => live.at >= since) ?? null;
};

/** An operator who handled the alarm after a live reading of what began again has handled both. */
const returnOf = ({ row, goneAt, again }: Followed): Returned[] => {
  const isCovered = again !== null && !(row.handled_at && row.handled_at.getTime() < again.receivedAt);
  if (Number.isNaN(goneAt) || isCovered) return [];
  return [{ alarmId: row.id, lineId: row.line_id, goneAt, againAt: again?.at ?? null }];
};

export const noteReturns = async (client: pg.ClientBase, returns: readonly Returned[]): Promise<void> => {
  if (returns.length === 0) return;
  await client.query(
    `insert into returned_alarms (alarm_id, line_id, gone_at, again_at)
     select * from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::timestamptz[])
     on conflict (alarm_id) do update set gone_at = excluded.gone_at, again_at = excluded.again_at`,
    [
      returns.map(({ alarmId }) => alarmId),
      returns.map(({ lineId }) => lineId),
      returns.map(({ goneAt }) => new Date(goneAt)),
      returns.map(({ againAt }) => againAt && new Date(againAt)),
    ],
  );
};

export const notedReturns = async (pool: pg.Pool): Promise<Returned[]> => {
  const { rows } = await pool.query<{
    alarm_id: number;
    line_id: number;
    gone_at: Date;
    again_at: Date | null;
  }>('select alarm_id, line_id, gone_at, again_at from returned_alarms order by line_id, alarm_id');
  return rows.map((row) => ({
    alarmId: row.alarm_id,
    lineId: row.line_id,
    goneAt: row.gone_at.getTime(),
    againAt: row.again_at?.getTime() ?? null,
  }));
};

/** These were taken into account, or their alarms have ended. */
export const forgetReturns = (batch: Batch, { returns }: Draft): void => {
  if (returns.size === 0) return;
  const values = [[...returns].sort((a, b) => a - b)];
  const text = 'delete from returned_alarms where alarm_id = any($1::bigint[])';
  batch.add({ name: 'returns-forget', text, values });
};
