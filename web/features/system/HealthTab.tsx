import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type HealthOverview, healthEndpoints } from '#contract/health.ts';
import { problemSubject, problemWords } from '#contract/health-words.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';

const refreshMs = 10_000;

const Facts = ({ title, rows }: { title: string; rows: readonly [label: string, value: ReactNode][] }) => (
  <section className="system-card">
    <h2>{title}</h2>
    <dl>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  </section>
);

/** The time of the last occurrence, or the word 'never'. */
const Since = ({ at }: { at: string | null }) => {
  const { t } = useTranslation('common');
  return at === null ? t(($) => $.never) : <TimeText at={at} />;
};

const Problems = ({ problems }: Pick<HealthOverview, 'problems'>) => {
  const { t } = useTranslation('system');
  const language = currentLanguage();
  const { colon } = useFormats();
  if (problems.length === 0) return <Alert type="success" showIcon title={t(($) => $.health.well)} />;
  return problems.map(({ code, subject, since }) => {
    const [name, advice] = problemWords[code][language];
    const about = problemSubject(language, subject);
    return (
      <Alert
        key={`${code} ${subject}`}
        type="error"
        showIcon
        title={about === '' ? name : `${name}${colon}${about}`}
        description={
          <>
            {advice}. {t(($) => $.health.since)} <TimeText at={since} />
          </>
        }
      />
    );
  });
};

const Node = ({ node }: { node: HealthOverview['nodes'][number] }) => {
  const { t } = useTranslation('system');
  const formats = useFormats();
  const bytesOf = useBytes();
  const { facts } = node;
  const number = (value: number | null, digits = 0) => (value === null ? '—' : formats.number(value, digits));
  const ms = (value: number | null) => (value === null ? '—' : formats.milliseconds(value));
  const size = (bytes: number | null) => (bytes === null ? '—' : bytesOf(bytes));
  return (
    <Facts
      title={`${t(($) => $.health.node)} ${node.name}`}
      rows={[
        [t(($) => $.health.role), t(($) => $.health.roles[node.role])],
        [t(($) => $.health.seen), <TimeText key="seen" at={node.seen_at} kind="time" />],
        [t(($) => $.health.started), <TimeText key="started" at={node.started_at} />],
        [t(($) => $.health.rate), number(facts.messages_per_s, 1)],
        [t(($) => $.health.delay), ms(facts.acknowledge_ms)],
        [t(($) => $.health.waiting), number(facts.waiting)],
        [t(($) => $.health.devices), number(facts.device_connections)],
        [t(($) => $.health.consoles), number(facts.live_streams)],
        [t(($) => $.health.memory), size(facts.memory_bytes)],
        [t(($) => $.health.loop), ms(facts.loop_delay_ms)],
        [t(($) => $.health.disk), `${size(facts.disk_free_bytes)} / ${size(facts.disk_bytes)}`],
      ]}
    />
  );
};

/** The state of the product: problems first, then nodes, database, work and backups. */
export const HealthTab = () => {
  const { t } = useTranslation('system');
  const formats = useFormats();
  const bytesOf = useBytes();
  const query = useQuery({ ...endpointQuery(healthEndpoints.overview, {}), refetchInterval: refreshMs });
  return (
    <DataState query={query} rows={10}>
      {({ problems, nodes, database, work, backups, version }) => (
        <div className="system-health">
          <Problems problems={problems} />
          <div className="system-cards">
            {nodes.map((node) => (
              <Node key={node.name} node={node} />
            ))}
            <Facts
              title={t(($) => $.health.database)}
              rows={[
                ['PostgreSQL', database.version],
                [t(($) => $.health.answer), formats.milliseconds(database.answer_ms)],
                [t(($) => $.health.size), bytesOf(database.bytes)],
                [
                  t(($) => $.health.connections),
                  `${formats.number(database.connections)} / ${formats.number(database.most_connections)}`,
                ],
                [t(($) => $.health.migration), database.migration.replace('.sql', '')],
                [t(($) => $.health.version), version],
              ]}
            />
            <Facts
              title={t(($) => $.health.work)}
              rows={[
                [t(($) => $.health.through), <TimeText key="through" at={work.rollups_through} />],
                [t(($) => $.health.hours), formats.number(work.rollups_waiting)],
                [t(($) => $.health.queued), formats.number(work.notices_queued)],
                [t(($) => $.health.failed), formats.number(work.notices_failed_day)],
                [t(($) => $.health.commands), formats.number(work.commands_open)],
                [t(($) => $.health.backup), <Since key="backup" at={backups.last_at} />],
                [t(($) => $.health.drill), <Since key="drill" at={backups.drill_at} />],
              ]}
            />
          </div>
        </div>
      )}
    </DataState>
  );
};
