import { readFileSync } from 'node:fs';
import type { Language } from '#contract/languages.ts';
import { lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { alarmChannel } from '#server/alarms/channel.ts';
import { appendOperation, type Operation } from '#server/core/operation-log.ts';
import { version } from '#server/core/version.ts';
import { type ZipEntry, type ZippedFile, zipped } from '#server/core/zip.ts';
import type { Reader } from '#server/operation-log/operation-log.store.ts';
import { incidentLog, logLines } from './chain.ts';
import { sampler } from './chart.ts';
import type { Incident, IncidentLine } from './evidence-pack.store.ts';
import { factsOf, imageContent } from './facts.ts';
import { evidencePage, type ShownOperation } from './page.ts';
import { readingLines } from './readings.ts';

const format = 'ampwatch-evidence/1';
const mostCharts = 12;
const mostChartsOfLine = 3;

interface PackRequest {
  readonly db: Db;
  readonly reader: Reader;
  readonly incident: Incident;
  readonly language: Language;
  readonly now: number;
  /** The log row of the pack; its parameters are added here. */
  readonly made: Operation;
}

const json = (value: unknown): string[] => [`${JSON.stringify(value, null, 1)}\n`];

/** Channels of a line to draw: those of its alarms, else its current. */
const drawnChannels = ({ alarms, device }: Incident, line: IncidentLine): string[] => {
  if (!device) return [];
  const names = lineChannels[device.type];
  const concerned = alarms.flatMap((alarm) => {
    const index = alarm.line_id === line.id ? alarmChannel(device.type, alarm.code, alarm.phase) : -1;
    return names[index] ?? [];
  });
  const current = names.find((name) => name === 'I.a' || name === 'out.I.a');
  return [...new Set(concerned.length > 0 ? concerned : current ? [current] : [])].slice(0, mostChartsOfLine);
};

/**
 * The entries of a pack, read while they are written. The manifest is last: it lists the others, and the
 * operation log stores its hash, so that nobody can replace the whole pack.
 */
const entriesOf = async function* (
  { db, reader, incident, language, now, made }: PackRequest,
  files: readonly ZippedFile[],
): AsyncGenerator<ZipEntry> {
  const charts: ReturnType<typeof sampler>[] = [];
  const { device, lines, readings } = incident;
  for (const line of device ? lines : []) {
    const { type } = device!;
    const own = drawnChannels(incident, line).map((channel) => sampler(line.n, channel, readings));
    if (line.n > 0 && charts.length + own.length <= mostCharts) charts.push(...own);
    const places = own.map(({ sampled }) => lineChannels[type].indexOf(sampled.channel));
    yield {
      name: `readings/line-${line.n}.csv`,
      content: readingLines(db, { id: line.id, type }, readings, (at, channels) => {
        for (const [index, { add }] of own.entries()) add(at, channels[places[index]!]);
      }),
    };
  }
  const facts = await factsOf(db, reader.scope, incident);
  const { images, ...lists } = facts;
  yield { name: 'incident.json', content: json({ ...incident, alarms: undefined, owned: undefined }) };
  for (const [name, rows] of Object.entries(lists)) yield { name: `${name}.json`, content: json(rows) };
  for (const { id, name } of images) yield { name, content: imageContent(db, id) };
  const log = await incidentLog(
    db,
    reader,
    incident,
    facts.alarms.flatMap(({ history }) => history.map(({ at }) => at)),
  );
  const operations: ShownOperation[] = [];
  yield {
    name: 'operation-log.ndjson',
    content: logLines(db, log, (id, operation, hash) => operations.push({ id, operation, hash })),
  };
  const page = evidencePage({
    incident,
    facts,
    charts: charts.map(({ sampled }) => sampled),
    operations,
    isLogCut: log.isCut,
    files: [...files],
    language,
    madeAt: new Date(now),
    madeBy: made.operator,
    version,
  });
  yield { name: 'report.html', content: [page] };
  yield { name: 'verify.mjs', content: [readFileSync(new URL('./verify.mjs', import.meta.url))] };
  const manifest = json({
    format,
    version,
    language,
    made_at: new Date(now).toISOString(),
    made_by: made.operator,
    request_id: made.requestId,
    alarm: incident.alarm,
    device: device?.number ?? null,
    project: incident.project?.name ?? null,
    period: incident.period,
    readings: incident.readings,
    acts: incident.acts,
    operation_log: { stretches: log.stretches, head: log.head, is_cut: log.isCut },
    files,
  });
  yield { name: 'manifest.json', content: manifest };
  const { sha256, bytes } = files.at(-1)!;
  const parameters = {
    ...made.parameters,
    manifest_sha256: sha256,
    manifest_bytes: bytes,
    files: files.length,
  };
  await db.transaction().execute((trx) => appendOperation(trx, { ...made, parameters }));
};

/** The .zip, written while it is read. */
export const evidencePack = (request: PackRequest): AsyncGenerator<Buffer> => {
  const files: ZippedFile[] = [];
  return zipped(entriesOf(request, files), new Date(request.now), (file) => files.push(file));
};
