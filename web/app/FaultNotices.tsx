import { App } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { announceWith } from '#web/api/announce.ts';
import { isRestoring } from '#web/api/restore-state.ts';
import { leave } from '#web/api/session.ts';

const networkSeconds = 5;
const readingMs = 1_500;

/** Connects the error catalogue with messages and dialogs. */
export const FaultNotices = () => {
  const { message, modal } = App.useApp();
  const { t } = useTranslation('shell');
  useEffect(() => {
    const here = () => window.location.pathname + window.location.search;
    announceWith({
      warn: (text) => void message.warning({ content: text, key: text }),
      network: () =>
        void message.error({ content: t(($) => $.fault.network), key: 'network', duration: networkSeconds }),
      expired: () => {
        if (isRestoring()) return leave(here(), 'restored');
        void message.warning(t(($) => $.fault.expired));
        window.setTimeout(() => leave(here(), 'expired'), readingMs);
      },
      loggedOut: (text, forget) => {
        const title = t(($) => $.fault.loggedOut);
        modal.confirm({
          title,
          content: (
            <>
              {text !== title && <p>{text}</p>}
              <p>{t(($) => $.fault.kept)}</p>
            </>
          ),
          okText: t(($) => $.fault.signInAgain),
          cancelText: t(($) => $.fault.stay),
          onOk: () => leave(here()),
          onCancel: forget,
        });
      },
    });
    return () => announceWith(null);
  }, [message, modal, t]);
  return null;
};
