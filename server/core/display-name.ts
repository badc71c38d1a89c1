import { type RawBuilder, sql } from 'kysely';

/** Display name of a user: nickname, else user name. */
export const displayName = (user: { nickname: string; username: string }): string =>
  user.nickname || user.username;

/** The display name in a query, for a row of `users` by its alias. */
export const displayNameOf = (alias: string): RawBuilder<string> =>
  sql<string>`coalesce(nullif(${sql.ref(`${alias}.nickname`)}, ''), ${sql.ref(`${alias}.username`)})`;
