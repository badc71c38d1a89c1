import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { App } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useRestore } from '#web/api/restore-state.ts';
import { refreshSession, useSignedIn } from '#web/api/session.ts';
import { blockZoom } from '#web/theme/block-zoom.ts';
import { keepLastState } from '../last-state/last-state.ts';
import { AppUpdate } from './AppUpdate.tsx';
import { watchBack } from './back-closes.ts';

/** Says when a restore of data has ended, which may have changed the reader's own rights, too. */
const useRestoreEnd = () => {
  const { t } = useTranslation('shell');
  const { message } = App.useApp();
  useEffect(
    () =>
      useRestore.subscribe(({ since }, before) => {
        if (since !== null || before.since === null) return;
        void message.success(t(($) => $.link.restored));
        refreshSession().catch(() => undefined);
      }),
    [message, t],
  );
};

/**
 * Work of the frame that shows nothing: new versions, zoom keys, Back on a phone, and the answers kept on this
 * device.
 */
export const Upkeep = () => {
  const { history } = useRouter();
  useEffect(() => watchBack(history), [history]);
  const { block_zoom } = useSignedIn();
  useEffect(() => (block_zoom ? blockZoom() : undefined), [block_zoom]);
  const client = useQueryClient();
  useEffect(() => keepLastState(client), [client]);
  useRestoreEnd();
  return <AppUpdate />;
};
