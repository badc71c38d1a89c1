import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ActButton } from './ActButton.tsx';
import { actsOf, type ControlDevice, type ControlLine, type Possible } from './acts.ts';
import './control.css';
import { LatestCommands } from './LatestCommands.tsx';

/** On a phone the acts are longer than the window: what is below them does not move through it when they come. */
const roomOfActs = '100vh';

/**
 * Acts on the device and its lines besides switching, each with its consequence or why it is not possible.
 */
export const ControlTab = ({ device }: { device: ControlDevice }) => {
  const { device_id } = device;
  const query = useQuery(endpointQuery(controlEndpoints.possible, { device_id }));
  const lines = useQuery(endpointQuery(lineEndpoints.list, { device_id }));
  useLiveRefresh(
    ['command', 'alarm', 'alarm_update', 'device_state', 'line_state'],
    [controlEndpoints.possible],
    1000,
    (data) => 'device_id' in data && data.device_id === device_id,
  );
  return (
    <div className="control-panels">
      <DataState query={query.data ? lines : query} also={[query, lines]} rows={8} height={roomOfActs}>
        {() =>
          query.data && lines.data && <Acts device={device} possible={query.data} lines={lines.data.list} />
        }
      </DataState>
      <LatestCommands deviceId={device_id} />
    </div>
  );
};

export const Acts = ({
  device,
  possible,
  lines,
}: {
  device: ControlDevice;
  possible: Possible;
  lines: readonly ControlLine[];
}) => {
  const { t } = useTranslation('control');
  const may = useCan('device.control');
  const groups = [
    { key: 0, title: t(($) => $.device), acts: actsOf(possible, null), line: null },
    ...lines.map((line) => ({
      key: line.line_id,
      title: `${line.n} · ${line.name}`,
      acts: actsOf(possible, line.line_id),
      line,
    })),
  ].filter(({ acts }) => acts.length > 0);
  if (!may) return <p className="soft">{t(($) => $.denied)}</p>;
  return (
    <div className="control-groups">
      {!possible.online && <Alert type="warning" showIcon title={t(($) => $.offline)} />}
      {groups.map(({ key, title, acts, line }) => (
        <section key={key} className="panel">
          <h2>{title}</h2>
          <div className="control-acts">
            {acts.map((act) => (
              <ActButton key={act.action} act={act} device={device} line={line} />
            ))}
          </div>
        </section>
      ))}
      {groups.length === 0 && <p className="soft">{t(($) => $.none)}</p>}
    </div>
  );
};
