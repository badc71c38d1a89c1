import { useEffect } from 'react';
import { readCookie } from '../../api/cookies.ts';
import { keptCookie, useOutboxPart } from '../../features/alarms/outbox/outbox-part.ts';
import { withWords } from '../feature.ts';

const load = withWords(
  ['alarms'],
  async () => (await import('../../features/alarms/outbox/Outbox.tsx')).Outbox,
);

/** Handling texts that were written without a connection, on every screen; nothing while there is none. */
export const OutboxDoor = () => {
  const { Part } = useOutboxPart();
  useEffect(() => {
    if (readCookie(keptCookie) === undefined) return;
    load().then(
      (Outbox) => useOutboxPart.setState({ Part: Outbox }),
      () => undefined,
    );
  }, []);
  return Part && <Part />;
};
