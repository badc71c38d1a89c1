import { LeftOutlined, PrinterOutlined, RightOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mostInDiagram, projectEndpoints } from '#contract/projects.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan, useManagesProject } from '#web/api/session.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { useUnsaved } from '#web/parts/use-unsaved.ts';
import { SiteDevice } from './SiteDevice.tsx';
import type { DiagramDevice } from './site-types.ts';
import './site.css';

const refreshMs = 3000;

/**
 * The site as a single-line diagram: incoming supply, boards, lines; live, printable, with an editable order.
 */
export const SitePage = ({ project }: { project: { id: number; name: string } }) => {
  const { t } = useTranslation('projects');
  const reload = useReload(projectEndpoints.diagram);
  const [mayWrite, mayBind] = [useCan('project.write'), useCan('project.bind')];
  const mayArrange = useManagesProject(project.id) && mayWrite;
  const [order, setOrder] = useState<readonly DiagramDevice[] | null>(null);
  const [busy, setBusy] = useState(false);
  useUnsaved(() => order !== null);
  const query = useQuery(endpointQuery(projectEndpoints.diagram, { project_id: project.id }));
  useLiveRefresh(
    ['line_state', 'device_state', 'alarm', 'alarm_update', 'reading'],
    [projectEndpoints.diagram],
    refreshMs,
  );
  const save = async () => {
    if (!order) return;
    setBusy(true);
    await attempt(async () => {
      await call(projectEndpoints.arrange, {
        project_id: project.id,
        devices: order.map(({ device_id, incoming }) => ({ device_id, incoming })),
      });
      setOrder(null);
    });
    setBusy(false);
    await reload();
  };
  return (
    <>
      <PageHeader title={`${project.name} · ${t(($) => $.site.title)}`}>
        {order === null ? (
          <>
            <Button icon={<PrinterOutlined aria-hidden />} onClick={() => window.print()}>
              {t(($) => $.code.print)}
            </Button>
            {mayArrange && (
              <Button
                disabled={!query.data?.devices.length}
                onClick={() => query.data && setOrder(query.data.devices)}
              >
                {t(($) => $.site.arrange)}
              </Button>
            )}
          </>
        ) : (
          <>
            <Button onClick={() => setOrder(null)}>{t(($) => $.site.cancel)}</Button>
            <Button type="primary" loading={busy} onClick={() => void save()}>
              {t(($) => $.site.save)}
            </Button>
          </>
        )}
      </PageHeader>
      <DataState
        query={query}
        rows={10}
        isEmpty={({ devices }) => devices.length === 0}
        empty={t(($) => (mayBind ? $.site.emptyFirst : $.site.empty))}
      >
        {({ devices, truncated }) => (
          <>
            {truncated && <p className="soft">{t(($) => $.site.truncated, { count: mostInDiagram })}</p>}
            <Tree
              devices={order ?? devices}
              mayArrange={mayArrange}
              onOrder={order === null ? null : setOrder}
            />
          </>
        )}
      </DataState>
    </>
  );
};

const Tree = ({
  devices,
  mayArrange,
  onOrder,
}: {
  devices: readonly DiagramDevice[];
  mayArrange: boolean;
  /** Null while the order is not being changed. */
  onOrder: ((devices: readonly DiagramDevice[]) => void) | null;
}) => {
  const { t } = useTranslation('projects');
  const incoming = devices.filter((device) => device.incoming);
  const boards = Map.groupBy(
    devices.filter((device) => !device.incoming),
    ({ part_name }) => part_name,
  );
  const move = (device: DiagramDevice, step: -1 | 1) => {
    const peers = devices.filter(
      (each) => each.incoming === device.incoming && (device.incoming || each.part_name === device.part_name),
    );
    const other = peers[peers.indexOf(device) + step];
    if (!other) return;
    onOrder?.(devices.map((each) => (each === device ? other : each === other ? device : each)));
  };
  const shown = (device: DiagramDevice) => (
    <SiteDevice key={device.device_id} device={device}>
      {onOrder && (
        <span className="site-tools no-print">
          <Button
            size="small"
            icon={<LeftOutlined aria-hidden />}
            aria-label={t(($) => $.site.earlier, { name: device.name })}
            onClick={() => move(device, -1)}
          />
          <Button
            size="small"
            icon={<RightOutlined aria-hidden />}
            aria-label={t(($) => $.site.later, { name: device.name })}
            onClick={() => move(device, 1)}
          />
          <Checkbox
            checked={device.incoming}
            onChange={({ target }) =>
              onOrder(devices.map((each) => (each === device ? { ...each, incoming: target.checked } : each)))
            }
          >
            {t(($) => $.site.incoming)}
          </Checkbox>
        </span>
      )}
    </SiteDevice>
  );
  return (
    <div className="site">
      <section className="site-supply">
        <h2>{t(($) => $.site.incoming)}</h2>
        {incoming.length === 0 ? (
          <p className="soft">{t(($) => (mayArrange ? $.site.noIncomingYet : $.site.noIncoming))}</p>
        ) : (
          <div className="site-devices">{incoming.map(shown)}</div>
        )}
      </section>
      <div className="site-bus" aria-hidden="true" />
      {[...boards].map(([name, own]) => (
        <section key={name} className="site-board">
          <h2>{name || t(($) => $.site.noBoard)}</h2>
          <div className="site-devices">{own.map(shown)}</div>
        </section>
      ))}
    </div>
  );
};
