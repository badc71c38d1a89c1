import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { operationIn } from '#server/core/operation-log.ts';
import { type Reader, visibleTo } from '#server/operation-log/operation-log.store.ts';
import type { Incident } from './evidence-pack.store.ts';

/** Rows between two rows of the incident are given as hashes only, so that the chain has no gap. */
const longestGap = 5000;
/** Maximum number of such rows in a whole pack. */
const mostBetween = 100_000;
const mostOperations = 20_000;
const pageRows = 2000;

/** Consecutive rows of the log, from the first to the last that concerns the incident. */
interface Stretch {
  readonly first: number;
  readonly last: number;
}
interface IncidentLog {
  readonly ids: ReadonlySet<number>;
  readonly stretches: readonly Stretch[];
  /** The end of the chain when the pack was made. */
  readonly head: { readonly id: number; readonly hash: string };
  /** There were more rows than a pack may contain. */
  readonly isCut: boolean;
}

/**
 * Rows that concern an incident and that the reader may see: of its device and of its project as a whole, in
 * its period; and acts on its alarms at any time.
 */
export const incidentLog = async (
  db: Db,
  reader: Reader,
  incident: Incident,
  actedAt: readonly Date[],
): Promise<IncidentLog> => {
  const { device, project, acts } = incident;
  const { rows } = await sql<{ id: number }>`
    select log.id from operation_log log where ${visibleTo(reader) ?? sql`true`} and (
      (log.at >= ${acts.from} and log.at < ${acts.to} and (log.device_id = ${device?.id ?? 0}
        or (log.project_id = ${project?.id ?? 0} and log.device_id is null)))
      or (log.at = any(${[...actedAt]}::timestamptz[]) and log.key like 'alarm.%'))
    order by log.id limit ${mostOperations + 1}`.execute(db);
  const head = await sql<{ id: number; hash: string }>`
    select id, encode(hash, 'hex') as hash from operation_log_head`.execute(db);
  const ids = rows.slice(0, mostOperations).map(({ id }) => id);
  return {
    ids: new Set(ids),
    stretches: stretchesOf(ids),
    head: head.rows[0]!,
    isCut: rows.length > mostOperations,
  };
};

const stretchesOf = (ids: readonly number[]): Stretch[] => {
  const stretches: { first: number; last: number }[] = [];
  let between = 0;
  for (const id of ids) {
    const now = stretches.at(-1);
    const gap = now === undefined ? 0 : id - now.last - 1;
    if (now !== undefined && gap <= longestGap && between + gap <= mostBetween) {
      now.last = id;
      between += gap;
    } else stretches.push({ first: id, last: id });
  }
  return stretches;
};

/** One JSON object per line; `shown` is called with each row that concerns the incident. */
export const logLines = async function* (
  db: Db,
  { ids, stretches }: IncidentLog,
  shown: (id: number, operation: ReturnType<typeof operationIn>, hash: string) => void,
): AsyncGenerator<string> {
  for (const [index, { first, last }] of stretches.entries())
    for (let after = first - 1; after < last; ) {
      const rows = await db
        .selectFrom('operation_log')
        .selectAll()
        .where('id', '>', after)
        .where('id', '<=', last)
        .orderBy('id')
        .limit(pageRows)
        .execute();
      if (rows.length === 0) return;
      after = rows.at(-1)!.id;
      yield rows
        .map((row) => {
          const chained = {
            stretch: index + 1,
            id: row.id,
            previous_hash: row.previous_hash.toString('hex'),
            hash: row.hash.toString('hex'),
          };
          if (!ids.has(row.id)) return `${JSON.stringify(chained)}\n`;
          const operation = operationIn(row);
          shown(row.id, operation, chained.hash);
          return `${JSON.stringify({ ...chained, operation })}\n`;
        })
        .join('');
    }
};
