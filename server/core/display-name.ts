import { type RawBuilder, sql } from 'kysely';

/** How people call a user: by nickname, else by user name. */
export const displayName = (user: { nickname: string; username: string }): string =>
  user.nickname || user.username;

/** The same of a row of `users` in a query, by its alias. */
export const displayNameOf = (alias: string): RawBuilder<string> =>
  sql<string>`coalesce(nullif(${sql.ref(`${alias}.nickname`)}, ''), ${sql.ref(`${alias}.username`)})`;
