import { EditOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { ResetButton } from '#web/parts/ResetButton.tsx';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeName, alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { CommandState } from '#web/values/CommandState.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { InspectionLink } from './InspectionLink.tsx';
import { LineAge } from './LineAge.tsx';
import { LineAsked } from './LineAsked.tsx';
import { LineValues } from './LineValues.tsx';
import type { Action, Line } from './lines.query.ts';
import { type Spark, Sparkline } from './Sparkline.tsx';
import { SwitchButtons } from './SwitchButtons.tsx';
import { useLineName } from './use-line-name.ts';

export const LineCard = ({
  line,
  projectId,
  uploadSeconds,
  actions,
  unknown,
  tags,
  spark,
  shown = false,
  onAsk,
  onEdit,
}: {
  line: Line;
  projectId: number | null;
  uploadSeconds: number;
  actions: readonly Action[];
  /** Why it is not known what is possible; null if it is known. */
  unknown: string | null;
  /** The lock-out tags on the line, and the button to set one. */
  tags: ReactNode;
  spark: Spark | undefined;
  /** The address names this line. */
  shown?: boolean;
  onAsk: (action: 'open' | 'close') => void;
  /** Null where the reader may not rename. */
  onEdit: (() => void) | null;
}) => {
  const { t, i18n } = useTranslation('lines');
  const old = useAges()(line, uploadSeconds);
  const name = useLineName()(line);
  const here = useRef<HTMLElement>(null);
  useEffect(() => {
    if (shown) here.current?.scrollIntoView({ block: 'center' });
  }, [shown]);
  const of = (action: 'open' | 'close') => actions.find((each) => each.action === action);
  return (
    <article ref={here} className={`panel line-card${shown ? ' is-shown' : ''}`} aria-label={name}>
      <h2>
        <span className="line-n">{line.n}</span>
        <span className="line-name">
          {line.name || t(($) => $.unnamed, { n: line.n })}
          {line.alias && <span className="soft"> {line.alias}</span>}
          {line.model && <span className="soft"> {line.model}</span>}
        </span>
        {line.critical && <span className="line-critical">{t(($) => $.critical)}</span>}
        {onEdit && (
          <Button
            type="text"
            size="small"
            icon={<EditOutlined />}
            aria-label={t(($) => $.edit.title, { n: line.n })}
            onClick={onEdit}
          />
        )}
      </h2>
      <div className="line-position">
        {line.switchable && <LineState state={line.state} stale={old.stale} />}
        <LineAge line={line} stale={old.stale} />
      </div>
      {line.switched_at && line.switched_by && (
        <p className="soft line-switched">
          {t(($) => $.switched[line.switched_by!])} · <TimeText at={line.switched_at} />
        </p>
      )}
      {line.pending && (
        <p className="line-pending" role="status">
          <span className="line-pending-mark" aria-hidden="true" />
          <CommandState action={line.pending.action} state={line.pending.state} />
        </p>
      )}
      <LineAsked line={line} />
      {line.trip !== null && line.trip > 0 && (
        <div className="line-alarm line-trip">
          <strong>{t(($) => $.tripped, { type: alarmTypeName(line.trip, i18n.language) })}</strong>
          <ResetButton deviceId={line.device_id} lineId={line.line_id} where={name} />
        </div>
      )}
      {tags}
      {line.alarms.map((alarm) => (
        <p key={alarm.id} className={alarm.level >= 2 ? 'line-alarm' : 'line-note'}>
          <PathLink to={paths.alarm(alarm.id)}>
            <AlarmLevel level={alarm.level} compact /> <AlarmTypeName code={alarm.typeNumber} />
          </PathLink>
        </p>
      ))}
      {line.proposed_rated_current !== null && (
        <p className="line-note">
          {t(($) => $.ratingTooLow, {
            rated: line.rated_current ?? '–',
            proposed: line.proposed_rated_current,
          })}
        </p>
      )}
      <LineValues line={line} stale={old.values_stale} />
      <Sparkline spark={spark} />
      {line.switchable ? (
        <div className="line-buttons">
          <SwitchButtons name={name} state={line.state} possible={of} unknown={unknown} onAsk={onAsk} />
          <InspectionLink line={line} projectId={projectId} close={of('close')} />
          <PathLink
            className="line-timers"
            to={paths.timers({ device_id: line.device_id, line_id: line.line_id })}
          >
            {t(($) => $.timers)}
          </PathLink>
        </div>
      ) : (
        <Tooltip title={t(($) => $.measuredWhy)}>
          <p className="soft">{t(($) => $.measured)}</p>
        </Tooltip>
      )}
    </article>
  );
};
