import { useEffect } from 'react';
import { readCookie } from '#web/api/cookies.ts';
import { keptCookie, useOutboxPart } from '#web/features/alarms/outbox/outbox-part.ts';
import { withWords } from '../feature.ts';

const load = withWords(
  ['alarms'],
  async () => (await import('#web/features/alarms/outbox/Outbox.tsx')).Outbox,
);

/** Handling texts written offline, on every screen; nothing is shown without any. */
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
