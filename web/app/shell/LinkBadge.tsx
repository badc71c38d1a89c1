import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { useLink } from '../../api/link-state.ts';
import { useFormats } from '../../i18n/format.ts';

/** Says whether the screen is live, polled, or without any contact to the server and since when. */
export const LinkBadge = () => {
  const { t } = useTranslation('shell');
  const formats = useFormats();
  const { state, since } = useLink();
  const time = formats.clock(since);
  return (
    <Tooltip title={t(($) => $.link[`${state}Text`], { time })}>
      <span className={`link-badge link-${state}`} role="status">
        <span className="link-mark" aria-hidden="true" />
        <span className="link-word">{t(($) => $.link[state], { time })}</span>
      </span>
    </Tooltip>
  );
};

/** Fills the gap of the bar, on a phone the foot of the screen: it moves nothing when it comes or goes. */
export const LinkStrip = () => {
  const { t } = useTranslation('shell');
  const formats = useFormats();
  const { state, since } = useLink();
  return (
    <span className="shell-gap">
      {state === 'cut' && (
        <span className="link-strip" role="alert">
          {t(($) => $.link.cutText, { time: formats.clock(since) })}
        </span>
      )}
    </span>
  );
};
