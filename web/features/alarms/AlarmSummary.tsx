import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { Severity } from '#web/values/Severity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useNow } from '#web/values/use-now.ts';
import { AlarmLasted } from './AlarmLasted.tsx';
import { AlarmValue } from './AlarmValue.tsx';
import type { AlarmDetailed } from './alarms.query.ts';
import { useKeptTexts } from './outbox/kept-texts.ts';
import { KeptTextState } from './outbox/OutboxNote.tsx';

/** What happens, where, since when, and the state of the line. */
export const AlarmSummary = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { t } = useTranslation('alarms');
  const { colon } = useFormats();
  const now = useNow();
  const ages = useAges();
  const { line_state: state } = alarm;
  const kept = useKeptTexts(({ texts }) => texts.find(({ id }) => id === alarm.id));
  const lasted = alarm.cleared_time ?? new Date(now).toISOString();
  return (
    <div className="incident-head">
      <p className="incident-what">
        <Severity severity={alarm.severity} /> <AlarmLevel level={alarm.level} />
        <strong className="incident-value">
          <AlarmValue row={alarm} />
        </strong>
      </p>
      <p>
        {alarm.project_id !== null && (
          <PathLink to={paths.project('earlywarning', alarm.project_id)}>{alarm.project_name}</PathLink>
        )}{' '}
        {alarm.device_id === 0 ? (
          t(($) => $.wholeProject)
        ) : (
          <PathLink to={paths.line(alarm)}>
            {[alarm.device_number, alarm.line_name].filter(Boolean).join(' · ')}
          </PathLink>
        )}
      </p>
      <p>
        <TimeText at={alarm.time} /> · <AlarmLasted from={alarm.time} to={lasted} /> ·{' '}
        {alarm.reset_needed
          ? t(($) => $.standing.reset)
          : t(($) => (alarm.active ? $.standing.active : $.standing.ended))}
      </p>
      {state && (
        <p>
          {t(($) => $.detail.lineNow)}
          {colon}
          {state.state === null ? (
            t(($) => $.detail.measured)
          ) : (
            <LineState state={state.state} stale={ages(state, state.interval_seconds).stale} />
          )}{' '}
          <span className="soft">
            <LastSeen at={state.state === null ? state.values_at : state.observed_at} />
          </span>{' '}
          <PathLink className="incident-line" to={paths.line(alarm)}>
            {t(($) => $.detail.toLine)}
          </PathLink>
        </p>
      )}
      {kept && (
        <div role="status">
          <KeptTextState text={kept} />
        </div>
      )}
      {alarm.late && <p className="soft">{t(($) => $.detail.late)}</p>}
    </div>
  );
};
