/** Whether the cause that a device gives for a move can have moved the line. */

import { sql } from 'kysely';
import { neverReclosed } from '#contract/alarm-traits.ts';
import type { CfgMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { PositionChange } from '#server/core/bus.ts';

type Move = Pick<PositionChange, 'lineId' | 'deviceId' | 'at' | 'boot' | 'seq' | 'position' | 'cause'>;

const lookBackMs = 86_400_000;

/** If a device never reported which functions are enabled, its claim is accepted. */
const isEnabled = async (db: Db, deviceId: number, key: string): Promise<boolean> => {
  const row = await db
    .selectFrom('device_reported')
    .select('payload')
    .where('device_id', '=', deviceId)
    .where('kind', '=', 'cfg')
    .executeTakeFirst();
  return (row?.payload as unknown as CfgMessage | undefined)?.en?.[key] !== false;
};

/**
 * The state of the line when the device closed it again; auto-reclose follows a trip, never a commanded open.
 */
const wasTripped = async (db: Db, { lineId, at, boot, seq }: Move): Promise<boolean> => {
  const { rows } = await sql<{
    cause: string | null;
    code: number | null;
    trip: number | null;
    asked: boolean;
  }>`
    select opened.cause, opened.code, before.trip, exists (
      select from commands c where c.line_id = ${lineId} and c.verb = 'open' and c.acknowledged_at is not null
        and c.sent_at <= ${new Date(at)} and (opened.at is null
          or ((c.ack->>'boot')::bigint, (c.ack->>'seq')::bigint) > (opened.boot, opened.seq))
        and not exists (select from commands later where later.line_id = c.line_id and later.number > c.number
          and later.verb = 'close' and later.acknowledged_at < ${new Date(at)})) as asked
    from (select) as one
      left join lateral (select e.* from position_events e where e.line_id = ${lineId} and e.position = 0
        and (e.boot, e.seq) < (${boot}::bigint, ${seq}::bigint) order by e.boot desc, e.seq desc limit 1) opened on true
      left join lateral (select r.trip from readings r where r.line_id = ${lineId}
        and r.at < ${new Date(at)} and r.at > ${new Date(at - lookBackMs)} order by r.at desc limit 1) before on true`.execute(
    db,
  );
  const [found] = rows;
  if (!found || found.asked) return false;
  const code = found.code ?? found.trip;
  if (code !== null && neverReclosed.has(code)) return false;
  return found.cause === null || found.cause === 'trip' || (found.trip ?? 0) > 0;
};

export const causeIsPossible = async (db: Db, move: Move): Promise<boolean> => {
  const { cause, position, deviceId } = move;
  switch (cause) {
    case 'cmd':
    case 'manual':
      return false;
    case 'trip':
      return position === 0;
    case 'timer':
      return isEnabled(db, deviceId, 'timer_en');
    case 'quota':
      return isEnabled(db, deviceId, 'quota_en');
    case 'reclose':
      return (
        position === 1 && (await isEnabled(db, deviceId, 'auto_reclose')) && (await wasTripped(db, move))
      );
  }
};
