import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DataState } from '../../parts/DataState.tsx';
import './lines.css';
import { LineCard } from './LineCard.tsx';
import { type Line, linesQuery, possibleQuery, useLiveLines } from './lines.query.ts';
import { SwitchDialog } from './SwitchDialog.tsx';

export interface LinesDevice {
  device_id: number;
  name: string;
  number: string;
  status: 'online' | 'offline';
  upload_seconds: number;
}
export interface Asked {
  line: Line;
  action: 'open' | 'close';
}

/** The lines of a device with live values; what is painted is what the device reports. */
export const LinesPanel = ({ device }: { device: LinesDevice }) => {
  const { t } = useTranslation('lines');
  const query = useQuery(linesQuery(device.device_id));
  const possible = useQuery(possibleQuery(device.device_id));
  const [asked, setAsked] = useState<Asked | null>(null);
  useLiveLines(device.device_id);
  return (
    <>
      {device.status === 'offline' && (
        <Alert className="lines-offline" type="warning" showIcon title={t(($) => $.offline)} />
      )}
      <DataState query={query} rows={6} isEmpty={({ list }) => list.length === 0} empty={t(($) => $.empty)}>
        {({ list }) => (
          <div className="lines">
            {list.map((line) => (
              <LineCard
                key={line.line_id}
                line={line}
                uploadSeconds={device.upload_seconds}
                actions={(possible.data?.actions ?? []).filter(({ line_id }) => line_id === line.line_id)}
                onAsk={(action) => setAsked({ line, action })}
              />
            ))}
          </div>
        )}
      </DataState>
      {asked && (
        <SwitchDialog
          asked={{
            ...asked,
            line: query.data?.list.find(({ line_id }) => line_id === asked.line.line_id) ?? asked.line,
          }}
          device={device}
          passwordNeeded={possible.data?.password_needed ?? true}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
};
