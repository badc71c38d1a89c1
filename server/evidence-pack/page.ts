import { alarmEndText } from '#contract/alarm-ends.ts';
import { alarmName, levelNames } from '#contract/alarm-names.ts';
import { commandStateText, verbText } from '#contract/command-words.ts';
import { deliveryReasonText, deliveryStateWords, noticeChannelWords } from '#contract/delivery-words.ts';
import type { Language } from '#contract/languages.ts';
import { momentFormats } from '#contract/moments.ts';
import { operationOutcomes, operationText } from '#contract/operation-words.ts';
import { channelName, channelUnit } from '#contract/parameter-names.ts';
import { lineChannels } from '#contract/telemetry.ts';
import { unitIn } from '#contract/unit-words.ts';
import type { operationIn } from '#server/core/operation-log.ts';
import type { ZippedFile } from '#server/core/zip.ts';
import { chartOf, type Sampled } from './chart.ts';
import type { Incident, Period } from './evidence-pack.store.ts';
import type { Facts } from './facts.ts';
import { html, type Markup } from './markup.ts';
import { deviceTypeName, pageWords, placeName, stepName } from './words.ts';

export interface ShownOperation {
  readonly id: number;
  readonly operation: ReturnType<typeof operationIn>;
  readonly hash: string;
}
interface PageContent {
  readonly incident: Incident;
  readonly facts: Facts;
  readonly charts: readonly Sampled[];
  readonly operations: readonly ShownOperation[];
  readonly isLogCut: boolean;
  readonly files: readonly ZippedFile[];
  readonly language: Language;
  readonly madeAt: Date;
  readonly madeBy: string;
  readonly version: string;
}
/** Language, time zone and number format of one reader, and the names of the lines. */
interface Reader {
  readonly language: Language;
  t(key: keyof typeof pageWords): string;
  time(at: Date | string | number | null): string;
  clock(at: number): string;
  number(value: number): string;
  line(n: number | null): string;
}

const readerOf = ({ language, incident }: PageContent): Reader => {
  const timeZone = incident.zone;
  const { millisecond } = momentFormats(language, timeZone);
  const clock = new Intl.DateTimeFormat(language, { timeZone, timeStyle: 'medium', hourCycle: 'h23' });
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  const names = new Map(incident.lines.map(({ n, name }) => [n, name]));
  return {
    language,
    t: (key) => pageWords[key][language],
    time: (at) => (at === null ? '—' : millisecond(at)),
    clock: (at) => clock.format(at),
    number: (value) => numbers.format(value),
    line: (n) =>
      n === null || n === 0 ? pageWords.wholeDevice[language] : `${n} ${names.get(n) ?? ''}`.trim(),
  };
};

type Cell = Markup | string | number | null;
const table = (heads: readonly string[], rows: readonly (readonly Cell[])[], none: string): Markup =>
  rows.length === 0
    ? html`<p class="none">${none}</p>`
    : html`<div class="wide"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>`;
const section = (title: string, content: Markup): Markup =>
  html`<section><h2>${title}</h2>${content}</section>\n`;
const joined = (parts: readonly (string | number | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' · ');

const headOf = ({ incident, madeAt, madeBy, version }: PageContent, { t, time, language, line }: Reader) => {
  const { device, project, period, readings, acts, zone } = incident;
  const span = ({ from, to }: Period) => `${time(from)} – ${time(to)}`;
  const facts: [string, string][] = [
    ...(incident.alarm
      ? [
          [t('workOrder'), incident.alarm.work_order] as [string, string],
          [t('alarm'), alarmName(language, incident.alarm.code)] as [string, string],
        ]
      : []),
    [t('project'), joined([project?.name ?? null])],
    [t('address'), device?.address || project?.address || ''],
    [t('device'), joined([device?.number ?? null, device?.name ?? null, device?.model ?? null])],
    [t('type'), device ? deviceTypeName(String(device.type), language) : ''],
    [t('firmware'), device?.firmware ?? ''],
    [
      t('lines'),
      incident.lines
        .filter(({ n }) => n > 0)
        .map(({ n }) => line(n))
        .join(', '),
    ],
    [t('period'), span(period)],
    [t('readingsOf'), span(readings)],
    [t('actsOf'), span(acts)],
    [t('zone'), zone],
    [t('madeAt'), time(madeAt)],
    [t('madeBy'), madeBy],
    [t('product'), `Ampwatch ${version}`],
  ];
  return html`<dl>${facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl><p class="note">${t('utc')}</p>`;
};

const alarmsOf = ({ facts }: PageContent, { t, time, language, line, number }: Reader) => {
  const figure = (value: number | null, decimals: number) =>
    value === null ? '—' : number(Number(value.toFixed(decimals)));
  return table(
    [t('time'), t('workOrder'), t('alarm'), t('line'), t('value'), t('cleared'), t('handled'), t('history')],
    facts.alarms.map((alarm) => [
      html`${time(alarm.time)}<br><small>${t('received')}: ${time(alarm.received_at)}</small>`,
      alarm.work_order,
      html`${alarmName(language, alarm.typeNumber)}<br><small>${levelNames[language][alarm.level === 1 ? 1 : 2]}</small>`,
      joined([line(alarm.line_n), alarm.phase.toUpperCase()]),
      `${[alarm.value, alarm.peak, alarm.threshold].map((value) => figure(value, alarm.decimals)).join(' / ')} ${unitIn(alarm.unit, language)}`,
      alarm.cleared_time === null ? t('active') : time(alarm.cleared_time),
      alarm.processed_at === null
        ? t('unhandled')
        : html`${time(alarm.processed_at)}<br>${joined([alarm.processed_by, alarm.processing_content])}`,
      html`${alarm.history.map(
        (step) =>
          html`<div>${joined([time(step.at), stepName(step.kind, language), alarmEndText(step, alarm.source, language), step.operator])}</div>`,
      )}`,
    ]),
    t('none'),
  );
};

const chartsOf = ({ incident, facts, charts, language }: PageContent, { t, line, clock, number }: Reader) => {
  const channels = incident.device ? lineChannels[incident.device.type] : [];
  const drawn = charts.flatMap((sampled) => {
    const ofLine = facts.alarms.filter(({ line_n }) => line_n === sampled.line);
    const chart = chartOf(sampled, incident.readings, {
      thresholds: [
        ...new Set(
          ofLine.flatMap(({ threshold, unit }) =>
            threshold !== null && unit === channelUnit(sampled.channel) ? [threshold] : [],
          ),
        ),
      ],
      raised: ofLine.map(({ time }) => Date.parse(time)),
      clock,
      number,
    });
    if (!chart) return [];
    const unit = channelUnit(sampled.channel);
    const name = channelName(sampled.channel, channels, language);
    return [
      html`<figure><figcaption>${line(sampled.line)}: ${name}${unit && `, ${unitIn(unit, language)}`}</figcaption>${chart}</figure>`,
    ];
  });
  return drawn.length === 0
    ? html`<p class="none">${t('none')}</p>`
    : html`<p class="note">${t('readingsNote')}</p>${drawn}`;
};

const commandsOf = ({ facts }: PageContent, { t, time, language, line }: Reader) =>
  table(
    [t('time'), t('command'), t('line'), t('operator'), t('state'), t('steps')],
    facts.commands.map((command) => [
      time(command.created_at),
      html`${verbText(command.action, language)}<br><small>${command.command_id}</small>`,
      line(command.line),
      joined([command.operator, command.address, command.cause]),
      joined([commandStateText(command.state, language), command.reason]),
      html`${(
        [
          ['created', command.created_at],
          ['sent', command.sent_at],
          ['acknowledged', command.acknowledged_at],
          ['ended', command.ended_at],
        ] as const
      ).map(([step, at]) => html`<div>${t(step)}: ${time(at)}</div>`)}`,
    ]),
    t('none'),
  );

const restOf = ({ facts }: PageContent, { t, time, language, line }: Reader) => [
  section(
    t('moves'),
    table(
      [t('time'), t('line'), t('position'), t('cause')],
      facts.moves.map((move) => [
        time(move.at),
        line(move.line),
        t(move.position === 'closed' ? 'closed' : 'opened'),
        joined([move.cause, move.code, move.command_id]),
      ]),
      t('none'),
    ),
  ),
  section(
    t('tags'),
    table(
      [t('setAt'), t('placedOn'), t('tag'), t('setBy'), t('removed')],
      facts.tags.map((tag) => [
        time(tag.set_at),
        tag.line === null ? placeName(tag.placed_on, language) : line(tag.line),
        tag.reason,
        tag.owner,
        tag.removed_at === null ? '—' : joined([time(tag.removed_at), tag.removed_by, tag.removal_reason]),
      ]),
      t('none'),
    ),
  ),
  section(
    t('deliveries'),
    table(
      [t('time'), t('channel'), t('recipient'), t('state'), t('sent'), t('ended')],
      facts.deliveries.map((delivery) => [
        time(delivery.created_at),
        noticeChannelWords[delivery.channel][language],
        delivery.recipient,
        joined([
          deliveryStateWords[delivery.state][language],
          delivery.reason && deliveryReasonText(delivery.reason, language),
        ]),
        time(delivery.sent_at),
        time(delivery.ended_at),
      ]),
      t('none'),
    ),
  ),
  section(
    t('settings'),
    table(
      [t('time'), t('operator'), t('changes')],
      facts.settings.map((change) => [
        time(change.at),
        change.operator,
        html`${change.changes.map(
          ({ key, before, after }) =>
            html`<div>${key}: ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}</div>`,
        )}`,
      ]),
      t('none'),
    ),
  ),
  section(
    t('maintenance'),
    table(
      [t('time'), t('operator'), t('maintenance')],
      facts.maintenance.map((record) => [
        time(record.maintenance_time),
        joined([record.handler_name, record.handler_phone]),
        html`${[record.content, record.fault_content, record.result, record.suggestion]
          .filter(Boolean)
          .map((text) => html`<div>${text}</div>`)}`,
      ]),
      t('none'),
    ),
  ),
];

const operationsOf = ({ operations, isLogCut }: PageContent, { t, time, language }: Reader) =>
  html`<p class="note">${t('logNote')}</p>${isLogCut ? html`<p><strong>${t('logCut')}</strong></p>` : ''}${table(
    ['#', t('time'), t('operator'), t('act'), t('outcome'), t('from'), t('hash')],
    operations.map(({ id, operation, hash }) => [
      id,
      time(operation.at),
      operation.operator,
      html`${operationText(operation.key, language)}<br><small>${operation.key}</small>`,
      joined([operationOutcomes[operation.outcome][language], operation.code]),
      joined([operation.address, operation.channel]),
      html`<code>${hash}</code>`,
    ]),
    t('none'),
  )}`;

const style = `:root{color-scheme:light}body{font:14px/1.5 system-ui,"Noto Sans","Noto Sans SC",sans-serif;color:#1a1a1a;background:#fff;
max-width:1100px;margin:0 auto;padding:24px 16px}h1{font-size:24px;margin:0 0 12px}h2{font-size:17px;margin:28px 0 8px;
border-bottom:1px solid #ccc;padding-bottom:4px}dl{display:grid;grid-template-columns:minmax(120px,auto) 1fr;gap:4px 16px;margin:0}
dt{color:#555}dd{margin:0;overflow-wrap:anywhere}.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13px}
th,td{border:1px solid #d0d0d0;padding:4px 6px;text-align:left;vertical-align:top;overflow-wrap:break-word}th{background:#f3f3f3;overflow-wrap:normal}
small,.note,.none{color:#555}code{font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}pre{background:#f3f3f3;padding:8px}
figure{margin:12px 0}figcaption{font-weight:600}svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#444}
.grid{stroke:#e2e2e2}.threshold{stroke:#a15c00;stroke-dasharray:6 4}.raised{stroke:#b00020;stroke-width:1.5}
.values{fill:none;stroke:#0b5cad;stroke-width:1.3;stroke-linecap:round}img{max-width:320px;max-height:240px;margin:4px}
@media print{body{max-width:none;padding:0}section{break-inside:auto}tr{break-inside:avoid}}`;

/** The pack as a page to read: one file, without scripts and external content. */
export const evidencePage = (content: PageContent): string => {
  const reader = readerOf(content);
  const { t } = reader;
  const { language, incident, facts, files } = content;
  const title = joined([
    t('title'),
    incident.alarm?.work_order ?? null,
    incident.device?.number ?? incident.project?.name ?? null,
  ]);
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:">
<title>${title}</title><style>${style}</style></head><body>
<h1>${title}</h1>
${section(t('incident'), headOf(content, reader))}${section(t('alarms'), alarmsOf(content, reader))}${section(
  t('readings'),
  chartsOf(content, reader),
)}${section(t('commands'), commandsOf(content, reader))}${restOf(content, reader)}${
  facts.images.length === 0
    ? ''
    : section(t('images'), html`${facts.images.map(({ name }) => html`<img src="${name}" alt="${name}">`)}`)
}${section(t('log'), operationsOf(content, reader))}${section(
  t('verify'),
  html`<p>${t('verifyText')}</p><pre>node verify.mjs</pre><p>${t('verifyAnchor')}</p>`,
)}${section(
  t('files'),
  table(
    [t('file'), t('bytes'), 'SHA-256'],
    files.map(({ name, bytes, sha256 }) => [name, reader.number(bytes), html`<code>${sha256}</code>`]),
    t('none'),
  ),
)}</body></html>
`.text;
};
