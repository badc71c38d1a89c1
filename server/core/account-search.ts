import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containing } from './containing.ts';

/** Shorter texts, and other scripts where the locale of the database is C, have no trigram to be found by. */
const hasTrigram = (text: string): boolean => /[a-z0-9]{3}/i.test(text);

/**
 * Condition that the name, user name, email or phone of an account has the text in it; `alias` is of `users`. Without
 * a trigram every account is compared, for which `strpos` takes a fifth of the time of `like`.
 */
export const accountContains = (alias: string, text: string): RawBuilder<SqlBool> => {
  const sought = sql.ref(`${alias}.sought`);
  return hasTrigram(text)
    ? sql<SqlBool>`${sought} like lower(${containing(text)})`
    : sql<SqlBool>`strpos(${sought}, lower(${text})) > 0`;
};

/** Condition that an account is called so; its one text for searches excludes nearly all others first. */
export const isCalled = (alias: string, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${accountContains(alias, text)} and
    concat_ws(' ', ${sql.ref(`${alias}.nickname`)}, ${sql.ref(`${alias}.username`)}) ilike ${containing(text)})`;
