/** Setting: readings that are older than this instant, in ms, are marked by those who store them. */
export const cutKey = 'rollups.cut';
const cutSql = `coalesce((select timestamptz 'epoch' + value::float8 * interval '1 millisecond' from settings
    where key = '${cutKey}'), '-infinity')`;

/**
 * Marks stored readings that the rounds of the rollups would miss: those of `readings` (line_id, at, always)
 * that are older than the cut, or that have `always`. Runs in the storing transaction after its insert,
 * because only then does a round that moves the cut wait for this transaction (decision 0310).
 */
export const markSql = (readings: string): string => `
  insert into rollup_dirty as d (line_id, hour, since, until)
  select line_id, date_trunc('hour', at, 'UTC'), min(at), max(at) from (${readings}) stored (line_id, at, always)
  where always or at < ${cutSql}
  group by 1, 2 order by 1, 2
  on conflict (line_id, hour) do update set
    since = case when d.since is not null then least(d.since, excluded.since) end,
    until = case when d.until is not null then greatest(d.until, excluded.until) end`;
