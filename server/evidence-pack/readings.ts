import { type Selectable, sql } from 'kysely';
import { channelUnit } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { ReadingsTable } from '#database/tables/readings.ts';
import type { Period } from './evidence-pack.store.ts';

const pageRows = 2000;
const unsigned = (value: number): number => value >>> 0;

const readingColumns = (type: DeviceType): string[] => [
  'measured_at',
  'received_at',
  'boot',
  'seq',
  'contacts',
  'trip',
  'lock',
  'flags',
  'energy [kWh]',
  ...lineChannels[type].map((channel) => {
    const unit = channelUnit(channel);
    return unit === '' ? channel : `${channel} [${unit}]`;
  }),
];

type Row = Selectable<ReadingsTable>;
type Place = Pick<Row, 'at' | 'boot' | 'seq'>;

const pageAfter = (db: Db, lineId: number, { from, to }: Period, after: Place | null): Promise<Row[]> =>
  db
    .selectFrom('readings')
    .selectAll()
    .where('line_id', '=', lineId)
    .where('at', '>=', after?.at ?? from)
    .where('at', '<', to)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(at, boot, seq) > (${after!.at}, ${after!.boot}, ${after!.seq})`),
    )
    .orderBy('at')
    .orderBy('boot')
    .orderBy('seq')
    .limit(pageRows)
    .execute();

const lineOf = (row: Row, width: number): string => {
  const cells = [
    row.at.toISOString(),
    new Date(row.at.getTime() + row.rx_ms).toISOString(),
    unsigned(row.boot),
    unsigned(row.seq),
    row.position === null ? '' : row.position === 1 ? 'closed' : 'open',
    row.trip,
    row.lock,
    row.flags,
    row.energy,
    ...Array.from({ length: width }, (_, index) => row.channels[index] ?? null),
  ];
  return `${cells.map((cell) => cell ?? '').join(',')}\n`;
};

/** Readings of a line as CSV, oldest first, as they were received; `seen` is called with each. */
export const readingLines = async function* (
  db: Db,
  line: { id: number; type: DeviceType },
  { from, to }: Period,
  seen: (at: number, channels: readonly (number | null)[]) => void,
): AsyncGenerator<string> {
  yield `${readingColumns(line.type).join(',')}\n`;
  const width = lineChannels[line.type].length;
  for (let after: Place | null = null; ; ) {
    const rows: Row[] = await pageAfter(db, line.id, { from, to }, after);
    yield rows.map((row) => lineOf(row, width)).join('');
    for (const { at, channels } of rows) seen(at.getTime(), channels);
    after = rows.at(-1) ?? null;
    if (after === null || rows.length < pageRows) return;
  }
};
