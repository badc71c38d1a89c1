import { useTranslation } from 'react-i18next';
import { commandReason } from '#contract/faults/command-reason.ts';
import { commandVerbs } from '#contract/telemetry.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';

export const commandStates = [
  'created',
  'sent',
  'acknowledged',
  'verified',
  'answered',
  'failed',
  'mismatch',
  'expired',
  'unknown',
] as const;
const good: readonly string[] = ['verified', 'answered'];
const bad: readonly string[] = ['failed', 'mismatch', 'expired', 'unknown'];

export const CommandState = ({
  action,
  state,
  reason = null,
}: {
  action: string;
  state: string;
  reason?: string | null;
}) => {
  const { t } = useTranslation('common');
  const { colon } = useFormats();
  const [knownAction, knownState] = [
    commandVerbs.find((each) => each === action),
    commandStates.find((each) => each === state),
  ];
  return (
    <span
      className={
        bad.includes(state) ? 'command-bad' : good.includes(state) ? 'command-good' : 'command-pending'
      }
    >
      {knownAction ? t(($) => $.command.action[knownAction]) : action}
      {colon}
      <strong>{knownState ? t(($) => $.command.state[knownState]) : state}</strong>
      {reason && <span className="soft"> ({commandReason(reason, currentLanguage())})</span>}
    </span>
  );
};
