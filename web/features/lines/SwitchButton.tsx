import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Action } from './lines.query.ts';

const drawings = { open: 'M2 8H8M8 8L17 2M18 8H22', close: 'M2 8H22' };

/** Open or close, with its drawing and its consequence; when it cannot be done, why not. */
export const SwitchButton = ({
  action,
  possible,
  onAsk,
}: {
  action: 'open' | 'close';
  possible: Action | undefined;
  onAsk: () => void;
}) => {
  const { t } = useTranslation('lines');
  const id = useId();
  const reason = possible === undefined || possible.allowed ? null : possible.message;
  return (
    <div className="switch-button">
      <Button
        block
        disabled={possible === undefined || !possible.allowed}
        aria-describedby={reason === null ? undefined : id}
        onClick={onAsk}
        icon={
          <svg viewBox="0 0 24 16" width="22" height="15" aria-hidden="true" className="switch-drawing">
            <path d={drawings[action]} />
          </svg>
        }
      >
        {t(($) => $[action].button)}
      </Button>
      {reason !== null && (
        <p id={id} className="switch-reason">
          {reason}
        </p>
      )}
    </div>
  );
};
