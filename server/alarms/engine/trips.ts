/**
 * The newest serious trip of each line, and its newest other one: they outlast the reset of the latch and the
 * handling of the alarm, and neither replaces the other.
 */
import { isGraveTrip } from '#contract/alarm-traits.ts';
import type { Batch } from '#server/core/batch.ts';
import type { Draft } from './changes.ts';

/** A present trip is the newest, whatever the clock shows: it may have been set back. A late one goes by its time. */
const upsert = `insert into line_trips (line_id, device_id, code, grave, at, received_at, place)
  select line_id, device_id, code, grave, at, received_at, case when not late then nextval('inspection_places') end
  from jsonb_to_recordset($1::jsonb) as given (line_id integer, device_id integer, code smallint, grave boolean,
    at timestamptz, received_at timestamptz, late boolean) order by line_id, grave
  on conflict (line_id, grave) do update set device_id = excluded.device_id, code = excluded.code, at = excluded.at,
    received_at = excluded.received_at, place = excluded.place
  where excluded.place is not null or excluded.received_at >= line_trips.received_at`;

/**
 * Finds new trips around late and overtaken readings. A late reading shows a new trip if the reading before it
 * shows none or a different one. The reading after it shows a new trip if its trip differs from that of the
 * late one. A trip that continues from reading to reading is one trip, in any order of arrival.
 */
const begun = `with late as (
    select * from unnest($1::integer[], $2::timestamptz[], $3::integer[], $4::integer[], $5::smallint[])
      with ordinality as given (line_id, at, boot, seq, trip, place)
  )
  select place::int, at, trip from late where trip <> 0 and trip is distinct from (
    select r.trip from readings r
    where r.line_id = late.line_id and r.at between late.at - interval '1 day' and late.at
      and (r.at, r.boot, r.seq) < (late.at, late.boot, late.seq) and r.trip is not null
    order by r.at desc, r.boot desc, r.seq desc limit 1)
  union all
  select place::int, next.at, next.trip from late cross join lateral (
    select r.at, r.trip from readings r
    where r.line_id = late.line_id and r.at between late.at and late.at + interval '1 day'
      and (r.at, r.boot, r.seq) > (late.at, late.boot, late.seq) and r.trip is not null
    order by r.at, r.boot, r.seq limit 1) next
  where next.trip <> 0 and next.trip <> late.trip
    and exists (select from line_trips known where known.line_id = late.line_id)`;

/**
 * Locks the rows that a decision about a close locks, so that one of the two waits for the other. The group
 * has written, and so locked, most of these rows already.
 */
const hold = `select from line_latest where line_id = any($1::integer[]) order by line_id for no key update`;

/** Runs after the group's readings are written. */
const findLate = async (batch: Batch, draft: Draft): Promise<void> => {
  const { lateTrips } = draft;
  if (lateTrips.length === 0) return;
  const values = [
    lateTrips.map(({ lineId }) => lineId),
    lateTrips.map(({ at }) => new Date(at).toISOString()),
    // The boot number as it is stored: 32 bits.
    lateTrips.map(({ boot }) => boot | 0),
    lateTrips.map(({ seq }) => seq | 0),
    lateTrips.map(({ trip }) => trip),
  ];
  const rows = await batch.query<{ place: number; at: Date; trip: number }>(begun, values, 'trips-late');
  if (rows.length === 0) return;
  const found = rows.flatMap(({ place, at, trip }) => {
    const reading = lateTrips[place - 1];
    return reading ? [{ reading: { ...reading, at: at.getTime() }, trip }] : [];
  });
  await batch.query(hold, [found.map(({ reading }) => reading.lineId)]);
  for (const { reading, trip } of found) draft.trippedBefore(reading, trip);
};

/** Writes the draft's trips in the group's transaction. */
export const writeTrips = async (batch: Batch, draft: Draft): Promise<void> => {
  await findLate(batch, draft);
  if (draft.trips.size === 0) return;
  const rows = [...draft.trips.values()].map(({ lineId, deviceId, code, at, receivedAt, isLate }) => ({
    line_id: lineId,
    device_id: deviceId,
    code,
    grave: isGraveTrip(code),
    at: new Date(at).toISOString(),
    received_at: new Date(receivedAt).toISOString(),
    late: isLate,
  }));
  batch.add({ name: 'trips-upsert', text: upsert, values: [JSON.stringify(rows)] });
};
