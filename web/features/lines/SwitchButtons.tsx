import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from './lines.query.ts';

const drawings = { open: 'M2 8H8M8 8L17 2M18 8H22', close: 'M2 8H22' };
const reasonOf = (possible: Action | undefined) =>
  possible === undefined || possible.allowed ? null : possible.message;

/** Open and close, each with its drawing; when one cannot be done, why not: once, where both have the same reason. */
export const SwitchButtons = ({
  possible,
  onAsk,
}: {
  possible: (action: 'open' | 'close') => Action | undefined;
  onAsk: (action: 'open' | 'close') => void;
}) => {
  const { t } = useTranslation('lines');
  const id = useId();
  const reasons = { open: reasonOf(possible('open')), close: reasonOf(possible('close')) };
  const same = reasons.open !== null && reasons.open === reasons.close;
  return (
    <>
      {(['open', 'close'] as const).map((action) => {
        const reason = reasons[action];
        const reasonId = same ? id : `${id}-${action}`;
        return (
          <div key={action} className="switch-button">
            <Button
              block
              disabled={!possible(action)?.allowed}
              aria-describedby={reason === null ? undefined : reasonId}
              onClick={() => onAsk(action)}
              icon={
                <svg viewBox="0 0 24 16" width="22" height="15" aria-hidden="true" className="switch-drawing">
                  <path d={drawings[action]} />
                </svg>
              }
            >
              {t(($) => $[action].button)}
            </Button>
            {reason !== null && !same && (
              <p id={reasonId} className="switch-reason">
                {reason}
              </p>
            )}
          </div>
        );
      })}
      {same && (
        <p id={id} className="switch-reason is-both">
          {reasons.open}
        </p>
      )}
    </>
  );
};
