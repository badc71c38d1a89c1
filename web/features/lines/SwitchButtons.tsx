import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useCutRefusal } from '../../parts/use-cut-refusal.ts';
import type { Action } from './lines.query.ts';

const drawings = { open: 'M2 8H8M8 8L17 2M18 8H22', close: 'M2 8H22' };
const reasonOf = (possible: Action | undefined, cut: string | null) =>
  cut ?? (possible === undefined || possible.allowed ? null : possible.message);

/** Open and close, each with its drawing; below them what cannot be done and why, once where both have one reason. */
export const SwitchButtons = ({
  possible,
  onAsk,
}: {
  possible: (action: 'open' | 'close') => Action | undefined;
  onAsk: (action: 'open' | 'close') => void;
}) => {
  const { t } = useTranslation('lines');
  const id = useId();
  const cut = useCutRefusal();
  const reasons = { open: reasonOf(possible('open'), cut), close: reasonOf(possible('close'), cut) };
  const same = reasons.open !== null && reasons.open === reasons.close;
  const idOf = (action: 'open' | 'close') => (same ? id : `${id}-${action}`);
  return (
    <>
      {(['open', 'close'] as const).map((action) => {
        return (
          <Button
            key={action}
            block
            className="switch-button"
            disabled={cut !== null || !possible(action)?.allowed}
            aria-describedby={reasons[action] === null ? undefined : idOf(action)}
            onClick={() => onAsk(action)}
            icon={
              <svg viewBox="0 0 24 16" width="22" height="15" aria-hidden="true" className="switch-drawing">
                <path d={drawings[action]} />
              </svg>
            }
          >
            {t(($) => $[action].button)}
          </Button>
        );
      })}
      {(['open', 'close'] as const)
        .filter((action) => reasons[action] !== null && !(same && action === 'close'))
        .map((action) => (
          <p key={action} id={idOf(action)} className="switch-reason">
            {!same && <strong>{t(($) => $[action].button)}: </strong>}
            {reasons[action]}
          </p>
        ))}
    </>
  );
};
