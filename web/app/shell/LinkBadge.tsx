import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { useLink } from '../../api/link-state.ts';

/** Tells whether the screen is live or polled. */
export const LinkBadge = () => {
  const { t } = useTranslation('shell');
  const state = useLink((link) => link.state);
  return (
    <Tooltip title={t(($) => $.link[`${state}Text`])}>
      <span className={`link-badge link-${state}`} role="status">
        <span className="link-mark" aria-hidden="true" />
        <span className="link-word">{t(($) => $.link[state])}</span>
      </span>
    </Tooltip>
  );
};
