import { Button, Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { useLink } from '#web/api/link-state.ts';
import { useRestore } from '#web/api/restore-state.ts';
import { leave } from '#web/api/session.ts';
import { useSessionEnd } from '#web/api/session-end.ts';
import { useFormats } from '#web/i18n/format.ts';

/** Shows whether the screen is live, polled, or without contact to the server or a session, and since when. */
export const LinkBadge = () => {
  const { t } = useTranslation('shell');
  const formats = useFormats();
  const link = useLink();
  const restoredSince = useRestore(({ since }) => since);
  const over = useSessionEnd((end) => end.over);
  const cause = link.state === 'cut' && link.withoutDatabase ? 'database' : link.state;
  const state = restoredSince !== null ? 'restoring' : over ? 'ended' : cause;
  const time = formats.since(restoredSince ?? link.since);
  return (
    <Tooltip title={t(($) => $.link[`${state}Text`], { time })}>
      <span className={`link-badge link-${state}`} role="status">
        <span className="link-mark" aria-hidden="true" />
        <span className="link-word">{t(($) => $.link[state], { time })}</span>
      </span>
    </Tooltip>
  );
};

/**
 * Uses free space in the bar, or on a phone at the bottom of the screen, so that it moves nothing when it
 * appears.
 */
export const LinkStrip = () => {
  const { t } = useTranslation('shell');
  const formats = useFormats();
  const { state, since, withoutDatabase } = useLink();
  const restoredSince = useRestore((restore) => restore.since);
  const over = useSessionEnd((end) => end.over);
  return (
    <span className="shell-gap">
      {restoredSince !== null ? (
        <span className="link-strip" role="alert">
          {t(($) => $.link.restoringText, { time: formats.since(restoredSince) })}
        </span>
      ) : over ? (
        <span className="link-strip" role="alert">
          {t(($) => $.link.endedText, { time: formats.since(since) })}{' '}
          <Button
            type="link"
            size="small"
            className="link-again"
            onClick={() => leave(window.location.pathname + window.location.search)}
          >
            {t(($) => $.fault.signInAgain)}
          </Button>
        </span>
      ) : (
        state === 'cut' && (
          <span className="link-strip" role="alert">
            {t(($) => (withoutDatabase ? $.link.databaseText : $.link.cutText), {
              time: formats.since(since),
            })}
          </span>
        )
      )}
    </span>
  );
};
