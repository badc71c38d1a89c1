import { useTranslation } from 'react-i18next';

const drawings = { open: 'M2 8H8M8 8L17 2M18 8H22', close: 'M2 8H22' };

export const SwitchDrawing = ({ action }: { action: 'open' | 'close' }) => (
  <svg className="switch-mark" viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">
    <path d={drawings[action]} />
    <circle cx="8" cy="8" r="2.2" />
    <circle cx="17" cy="8" r="2.2" />
  </svg>
);

/** Open or close as a requested or planned action: its symbol and word. LineState shows the real state. */
export const SwitchAction = ({ action }: { action: 'open' | 'close' }) => {
  const { t } = useTranslation('common');
  return (
    <span className={`switch-action is-${action}`}>
      <SwitchDrawing action={action} />
      {t(($) => $.command.action[action])}
    </span>
  );
};
