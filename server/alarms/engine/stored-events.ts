/** The open events of an alarm as its row keeps them, so that a restarted server knows which have ended. */
import type { StoredEvents } from '#database/tables/alarms.ts';
import { parsed } from '#server/core/stored-json.ts';
import { type ActiveAlarm, noEvents } from './memory.ts';

type OpenEvents = Pick<ActiveAlarm, 'others' | 'ownEnded'>;

/** Null if only the event that the alarm is named after is open. */
export const toStored = ({ others, ownEnded }: OpenEvents): StoredEvents | null =>
  others.length === 0 && !ownEnded
    ? null
    : {
        own_ended: ownEnded,
        others: others.map(({ eid, at, event }) => ({
          event_id: eid,
          at,
          event: event && {
            received_at: event.receivedAt,
            message: event.message,
            original: parsed(event.original),
            ...(event.late && { late: true }),
          },
        })),
      };

export const fromStored = (stored: StoredEvents | null): OpenEvents =>
  stored === null
    ? noEvents
    : {
        ownEnded: stored.own_ended,
        others: stored.others.map(({ event_id, at, event }) => ({
          eid: event_id,
          at,
          event: event && {
            receivedAt: event.received_at,
            message: event.message,
            original: Buffer.from(JSON.stringify(event.original)),
            late: event.late === true,
          },
        })),
      };
