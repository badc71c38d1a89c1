import { useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useLive } from '#web/api/live.ts';
import { useCan } from '#web/api/session.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useLow, useRoom } from '#web/theme/use-room.ts';
import { CommandState } from '#web/values/CommandState.tsx';
import './lines.css';
import { LineCard } from './LineCard.tsx';
import {
  type Action,
  type Asked,
  type Line,
  type LinesDevice,
  linesQuery,
  possibleQuery,
  sparksQuery,
  useLiveLines,
} from './lines.query.ts';
import { SwitchDialog } from './SwitchDialog.tsx';

const LineBoard = late(async () => (await import('./LineBoard.tsx')).LineBoard);
const LineEdit = late(async () => (await import('./LineEdit.tsx')).LineEdit);
const NominalVoltage = late(async () => (await import('./NominalVoltage.tsx')).NominalVoltage);

const panelSearch = z.object({ line_id: optionalNumber });

/** Failures that the user must see: the message stays until it is closed. */
const badEnds: readonly string[] = ['failed', 'mismatch', 'expired', 'unknown'];

const refusalOf = (actions: readonly Action[] | undefined, { line, action }: Asked): string | null => {
  const possible = actions?.find((each) => each.line_id === line.line_id && each.action === action);
  return possible && !possible.allowed ? possible.message : null;
};

/** The lines of a device with live values. The shown position is always the reported one. */
export const LinesPanel = ({ device, tags }: { device: LinesDevice; tags: (line: Line) => ReactNode }) => {
  const { t } = useTranslation('lines');
  const query = useQuery(linesQuery(device.device_id));
  const possible = useQuery(possibleQuery(device.device_id));
  const sparks = useQuery(sparksQuery(device.device_id));
  const { notification } = App.useApp();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [edited, setEdited] = useState<Line | null>(null);
  const [{ line_id: shownId }, setSearch] = useUrlState(panelSearch);
  const [fits, low] = [useRoom('table'), useLow()];
  const asCards = fits && !low;
  const mayRename = useCan('line.rename');
  const cut = useCutRefusal();
  useLiveLines(device.device_id);
  useLive('command', ({ device_id, line_id, action, state, reason, command_id }) => {
    if (device_id !== device.device_id || !badEnds.includes(state)) return;
    const line = query.data?.list.find((each) => each.line_id === line_id);
    notification.error({
      key: command_id,
      duration: 0,
      title: line ? t(($) => $.name, { n: line.n, name: line.name }) : device.name,
      description: <CommandState action={action} state={state} reason={reason} />,
    });
  });
  const cardOf = (line: Line, shown = false) => (
    <LineCard
      key={line.line_id}
      line={line}
      projectId={device.project_id}
      uploadSeconds={device.interval_seconds}
      actions={(possible.data?.actions ?? []).filter(({ line_id }) => line_id === line.line_id)}
      tags={tags(line)}
      unknown={possible.isError && !possible.data ? t(($) => $.actsUnknown) : null}
      spark={sparks.data?.lines.find(({ line_id }) => line_id === line.line_id)}
      shown={shown}
      onAsk={(action) => setAsked({ line, action })}
      onEdit={mayRename ? () => setEdited(line) : null}
    />
  );
  return (
    <>
      {device.status === 'offline' && (
        <p className="lines-offline" role="alert">
          {t(($) => $.offline)}
        </p>
      )}
      <NominalVoltage device={device} />
      <DataState
        query={query}
        also={[possible]}
        rows={6}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.empty)}
      >
        {({ list }) =>
          asCards || list.length === 1 ? (
            <div className="lines">
              {list.map((line) => cardOf(line, list.length > 1 && line.line_id === shownId))}
            </div>
          ) : (
            <LineBoard
              lines={list}
              uploadSeconds={device.interval_seconds}
              title={`${device.name} · ${device.number}`}
              shown={list.find(({ line_id }) => line_id === shownId)}
              card={cardOf}
              onShow={({ line_id }) => setSearch({ line_id }, { push: true })}
              onClose={() => setSearch({ line_id: undefined })}
            />
          )
        }
      </DataState>
      {edited && <LineEdit key={edited.line_id} line={edited} onClose={() => setEdited(null)} />}
      {asked && (
        <SwitchDialog
          asked={{
            ...asked,
            line: query.data?.list.find(({ line_id }) => line_id === asked.line.line_id) ?? asked.line,
          }}
          device={device}
          passwordNeeded={possible.data?.password_needed ?? true}
          refusal={cut ?? refusalOf(possible.data?.actions, asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
};
