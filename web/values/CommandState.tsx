import { useTranslation } from 'react-i18next';
import { isFault, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { commandVerbs } from '#contract/telemetry.ts';

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

/** The sentence of why a command was refused or failed. */
export const commandReason = (reason: string, language: string): string => {
  const code = `control.${reason.split(':').at(-1)?.trim() ?? reason}`;
  return isFault(code) ? sentence(code, language as Language) : reason;
};

export const CommandState = ({
  action,
  state,
  reason = null,
}: {
  action: string;
  state: string;
  reason?: string | null;
}) => {
  const { t, i18n } = useTranslation('common');
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
      {knownAction ? t(($) => $.command.action[knownAction]) : action}:{' '}
      <strong>{knownState ? t(($) => $.command.state[knownState]) : state}</strong>
      {reason && <span className="soft"> ({commandReason(reason, i18n.language)})</span>}
    </span>
  );
};
