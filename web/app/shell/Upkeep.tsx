import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSignedIn } from '../../api/session.ts';
import { blockZoom } from '../../theme/block-zoom.ts';
import { keepLastState } from '../last-state/last-state.ts';
import { AppUpdate } from './AppUpdate.tsx';
import { watchBack } from './back-closes.ts';

/** What the frame does unseen: new versions, zoom keys, Back on a phone, and what this device saw last. */
export const Upkeep = () => {
  const { history } = useRouter();
  useEffect(() => watchBack(history), [history]);
  const { block_zoom } = useSignedIn();
  useEffect(() => (block_zoom ? blockZoom() : undefined), [block_zoom]);
  const client = useQueryClient();
  useEffect(() => keepLastState(client), [client]);
  return <AppUpdate />;
};
