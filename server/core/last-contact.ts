import { type RawBuilder, sql } from 'kysely';

/**
 * When a device was last heard, for a query of `devices` with its `device_state` under the name `state`: readings
 * are stored at once, other signs of life only from time to time.
 */
export const lastContact = (state: string): RawBuilder<Date | null> => sql<Date | null>`greatest(
  ${sql.ref(`${state}.last_seen`)},
  (select max(heard.received_at)
    from lines heard_line join line_latest heard on heard.line_id = heard_line.id
    where heard_line.device_id = devices.id))`;
