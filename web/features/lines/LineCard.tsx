import { EditOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isFresh } from '#contract/freshness.ts';
import { useIsCut } from '../../api/link-state.ts';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { AlarmLevel } from '../../values/AlarmLevel.tsx';
import { AlarmTypeName, alarmTypeName } from '../../values/AlarmTypeName.tsx';
import { CommandState } from '../../values/CommandState.tsx';
import { LastSeen } from '../../values/LastSeen.tsx';
import { LineState } from '../../values/LineState.tsx';
import { TimeText } from '../../values/TimeText.tsx';
import { useNow } from '../../values/use-now.ts';
import { InspectionLink } from './InspectionLink.tsx';
import { LineAsked } from './LineAsked.tsx';
import { LineValues } from './LineValues.tsx';
import type { Action, Line } from './lines.query.ts';
import { SwitchButtons } from './SwitchButtons.tsx';

export const LineCard = ({
  line,
  projectId,
  uploadSeconds,
  actions,
  tags,
  onAsk,
  onEdit,
}: {
  line: Line;
  projectId: number | null;
  uploadSeconds: number;
  actions: readonly Action[];
  /** The lock-out tags on it, and the button to set one. */
  tags: ReactNode;
  onAsk: (action: 'open' | 'close') => void;
  /** Null where the reader may not rename. */
  onEdit: (() => void) | null;
}) => {
  const { t, i18n } = useTranslation('lines');
  const now = useNow();
  const isOld = (at: string | null) => !isFresh(at === null ? null : Date.parse(at), now, uploadSeconds);
  const isCut = useIsCut();
  const stale = isCut || line.stale || isOld(line.observed_at);
  const of = (action: 'open' | 'close') => actions.find((each) => each.action === action);
  return (
    <article className="panel line-card" aria-label={t(($) => $.name, { n: line.n, name: line.name })}>
      <h2>
        <span className="line-n">{line.n}</span>
        <span className="line-name">
          {line.name || t(($) => $.unnamed, { n: line.n })}
          {line.alias && <span className="soft"> {line.alias}</span>}
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
        <LineState state={line.state} stale={stale} />
        <span className={stale ? 'line-stale' : 'soft'}>
          {line.observed_at === null ? (
            t(($) => $.neverReported)
          ) : (
            <>
              {stale && `${t(($) => $.stale)} · `}
              <LastSeen at={line.observed_at} />
            </>
          )}
        </span>
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
        <p className="line-alarm">{t(($) => $.tripped, { type: alarmTypeName(line.trip, i18n.language) })}</p>
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
      <LineValues line={line} stale={isCut || line.values_stale || isOld(line.values_at)} />
      {line.switchable ? (
        <div className="line-buttons">
          <SwitchButtons possible={of} onAsk={onAsk} />
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
