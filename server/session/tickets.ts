import { randomBytes } from 'node:crypto';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { hashToken } from '#server/core/session.ts';

const ticketMs = 5 * 60_000;
const ticketTries = 5;

/** A ticket proves that the password was right, until the code of the second step is given. */
export const giveTicket = async (db: Db, userId: number, now: number): Promise<string> => {
  const token = randomBytes(32).toString('base64url');
  await db
    .insertInto('two_step_tickets')
    .values({ token_hash: hashToken(token), user_id: userId, expires_at: new Date(now + ticketMs) })
    .execute();
  return token;
};

/** Counts a try with a ticket and returns its user. Throws `twoStep.ticket`. */
export const tryTicket = async (db: Db, ticket: string, now: number): Promise<number> => {
  const row = await db
    .updateTable('two_step_tickets')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', hashToken(ticket))
    .where('expires_at', '>', new Date(now))
    .where('tries', '<', ticketTries)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id ?? fault('twoStep.ticket');
};

export const forgetTicket = (db: Db, ticket: string) =>
  db.deleteFrom('two_step_tickets').where('token_hash', '=', hashToken(ticket)).execute();

/** The password of the user's tickets counts no more. */
export const forgetTickets = (db: Db, userId: number) =>
  db.deleteFrom('two_step_tickets').where('user_id', '=', userId).execute();
