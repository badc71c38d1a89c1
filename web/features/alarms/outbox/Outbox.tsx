import { useEffect, useRef, useState } from 'react';
import { useIsCut } from '#web/api/link-state.ts';
import { useSignedIn } from '#web/api/session.ts';
import { useAlarmsChanged } from '../alarms.query.ts';
import { loadKeptTexts, useKeptTexts } from './kept-texts.ts';
import { OutboxNote } from './OutboxNote.tsx';
import { sendKept } from './send-kept.ts';

const againMs = 10_000;

/** Handling texts kept on this device: sent as soon as the server answers, shown until it accepted them. */
export const Outbox = () => {
  const { user_id } = useSignedIn();
  const cut = useIsCut();
  const texts = useKeptTexts((state) => state.texts);
  const changed = useAlarmsChanged();
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);
  useEffect(() => void loadKeptTexts(user_id), [user_id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt tries the same texts again
  useEffect(() => {
    const waiting = texts.find(({ refused, user }) => refused === null && user === user_id);
    if (cut || waiting === undefined || sending.current) return;
    let timer = 0;
    const send = async () => {
      sending.current = true;
      const sent = await sendKept(waiting).finally(() => {
        sending.current = false;
      });
      if (sent === 'later') timer = window.setTimeout(() => setAttempt((count) => count + 1), againMs);
      else {
        setAttempt((count) => count + 1);
        await changed(false);
      }
    };
    void send();
    return () => window.clearTimeout(timer);
  }, [cut, texts, user_id, attempt]);
  return texts.length === 0 ? null : <OutboxNote texts={texts} />;
};
