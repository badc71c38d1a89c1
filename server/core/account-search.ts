import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containing } from './containing.ts';

/** The trigram index cannot find shorter texts, or other scripts if the locale of the database is C. */
const hasTrigram = (text: string): boolean => /[a-z0-9]{3}/i.test(text);

/**
 * Condition that the account's name, user name, email or phone contains the text; `alias` is that of `users`.
 * Texts without a trigram are compared with every account by `strpos`, which takes a fifth of the time of
 * `like`.
 */
export const accountContains = (alias: string, text: string): RawBuilder<SqlBool> => {
  const sought = sql.ref(`${alias}.sought`);
  return hasTrigram(text)
    ? sql<SqlBool>`${sought} like lower(${containing(text)})`
    : sql<SqlBool>`strpos(${sought}, lower(${text})) > 0`;
};

/** Condition that the nickname or user name contains the text. The indexed search text excludes most accounts first. */
export const isCalled = (text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${accountContains('users', text)} and
    concat_ws(' ', users.nickname, users.username) ilike ${containing(text)})`;
