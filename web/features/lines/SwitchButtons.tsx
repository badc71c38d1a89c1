import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { SwitchDrawing } from '#web/values/SwitchAction.tsx';
import type { Action, Line } from './lines.query.ts';

const positionAfter = { open: 'open', close: 'closed' } as const;
const reasonOf = (possible: Action | undefined, general: string | null) =>
  general ?? (possible === undefined || possible.allowed ? null : possible.message);

/**
 * Open and close, each with its symbol; below them what is not possible and why, once if both have the same
 * reason.
 */
export const SwitchButtons = ({
  name,
  state,
  possible,
  unknown,
  onAsk,
}: {
  /** The name of the line for screen readers. */
  name: string;
  state: Line['state'];
  possible: (action: 'open' | 'close') => Action | undefined;
  /** Why it is not known what is possible; null if it is known. */
  unknown: string | null;
  onAsk: (action: 'open' | 'close') => void;
}) => {
  const { t } = useTranslation('lines');
  const { colon } = useFormats();
  const id = useId();
  const cut = useCutRefusal();
  const general = cut ?? unknown;
  const reasons = { open: reasonOf(possible('open'), general), close: reasonOf(possible('close'), general) };
  const same = reasons.open !== null && reasons.open === reasons.close;
  const idOf = (action: 'open' | 'close') => (same ? id : `${id}-${action}`);
  return (
    <>
      {(['open', 'close'] as const).map((action) => {
        return (
          <Button
            key={action}
            block
            className={`switch-button${state === positionAfter[action] ? ' is-so' : ''}`}
            aria-label={`${t(($) => $[action].button)}: ${name}`}
            disabled={cut !== null || !possible(action)?.allowed}
            aria-describedby={reasons[action] === null ? undefined : idOf(action)}
            onClick={() => onAsk(action)}
            icon={<SwitchDrawing action={action} />}
          >
            {t(($) => $[action].button)}
          </Button>
        );
      })}
      {(['open', 'close'] as const)
        .filter((action) => reasons[action] !== null && !(same && action === 'close'))
        .map((action) => (
          <p key={action} id={idOf(action)} className="switch-reason">
            {!same && (
              <strong>
                {t(($) => $[action].button)}
                {colon}
              </strong>
            )}
            {reasons[action]}
          </p>
        ))}
    </>
  );
};
