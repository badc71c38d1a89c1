import { CompiledQuery } from 'kysely';
import type { Db } from '#database/connect.ts';
import { energyFlags, quarterMs } from './energy.ts';
import { foldQuarters } from './fold.ts';

const partsSql = `
  insert into energy_correction_parts (line_id, bucket, correction_id, kwh)
  select $1::int, u.bucket, $2::int, u.kwh from unnest($3::timestamptz[], $4::double precision[]) as u (bucket, kwh)`;
const quartersSql = `
  insert into rollup_quarter as q (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, corrected_kwh)
  select $1::int, u.bucket, 0, 0, greatest(0, u.kwh), ${energyFlags.corrected}, u.kwh
  from unnest($2::timestamptz[], $3::double precision[]) as u (bucket, kwh)
  on conflict (line_id, bucket) do update set energy_kwh = greatest(0, q.energy_kwh + excluded.corrected_kwh),
    corrected_kwh = q.corrected_kwh + excluded.corrected_kwh, energy_flags = q.energy_flags | ${energyFlags.corrected}`;

/**
 * Adds a correction to the quarters of a line, and recalculates the larger buckets. Runs in the correction's
 * transaction.
 */
export const correctQuarters = async (
  trx: Db,
  {
    lineId,
    correctionId,
    zone,
    parts,
  }: {
    lineId: number;
    correctionId: number;
    zone: string;
    parts: readonly { bucket: number; kwh: number }[];
  },
): Promise<void> => {
  const query = async (text: string, values: readonly unknown[]) =>
    trx.executeQuery(CompiledQuery.raw(text, [...values]));
  const buckets = parts.map(({ bucket }) => new Date(bucket));
  const kwh = parts.map((part) => part.kwh);
  await query(partsSql, [lineId, correctionId, buckets, kwh]);
  await query(quartersSql, [lineId, buckets, kwh]);
  await foldQuarters(
    { query },
    parts.map(({ bucket }) => ({ lineId, start: bucket, end: bucket + quarterMs })),
    new Map([[lineId, zone]]),
  );
};
