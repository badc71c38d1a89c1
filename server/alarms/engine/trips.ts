/**
 * The newest trip of each line: it outlives the latch that a reset clears, and the alarm that somebody handles. A grave
 * one that nobody has inspected outlives also the trips that follow it and are not.
 */
import type pg from 'pg';
import { isGraveTrip } from '#contract/alarm-traits.ts';
import type { Draft } from './changes.ts';

const upsert = `insert into line_trips (line_id, device_id, code, grave, at, received_at)
  select line_id, device_id, code, grave, at, received_at
  from jsonb_populate_recordset(null::line_trips, $1::jsonb) order by line_id
  on conflict (line_id) do update set device_id = excluded.device_id, code = excluded.code, grave = excluded.grave,
    at = excluded.at, received_at = excluded.received_at
  where excluded.grave and not line_trips.grave
    or excluded.received_at >= line_trips.received_at and (excluded.grave = line_trips.grave or not exists (select from uninspected_trips left_open where left_open.line_id = excluded.line_id))`;

/** Writes the draft's trips in the group's transaction. */
export const writeTrips = async (client: pg.ClientBase, draft: Draft): Promise<void> => {
  if (draft.trips.size === 0) return;
  const rows = [...draft.trips].map(([lineId, { deviceId, code, at, receivedAt }]) => ({
    line_id: lineId,
    device_id: deviceId,
    code,
    grave: isGraveTrip(code),
    at: new Date(at).toISOString(),
    received_at: new Date(receivedAt).toISOString(),
  }));
  await client.query({ name: 'trips-upsert', text: upsert, values: [JSON.stringify(rows)] });
};
