import type pg from 'pg';

/** A connection holds the plans of at most this many statements, about 50 kB each. */
const mostNames = 500;
const mostTexts = 5_000;
/** A text that came this often will come again: filters of lists that were asked once take no place. */
const timesBeforeName = 3;

/** Tables of values in time: how many of their rows a statement reads depends on the times that it is given. */
const series = /\b(readings|rollup_\w+|load_quarter|metered_times|energy_lines)\b/;

/** Text that one `prepare` takes, that keeps its columns when a migration adds one, and that finds rows by key. */
const canHaveName = (text: string): boolean =>
  /^\s*(select|with|insert|update|delete)\b/i.test(text) &&
  !/;|(select|returning|,|\.)\s*\*/i.test(text) &&
  !series.test(text);

/** What every call reads of its caller before its transaction: found by a key. */
const ofCaller = /^select\b.* from "(?:sessions|user_scopes)" /;

/**
 * Names for statements: the database parses a named statement once for each connection, and plans it anew only
 * while the values matter (0490).
 */
export class StatementNames {
  readonly #most: number;
  #times = new Map<string, number>();
  #names = new Map<string, string>();
  #generation = 0;

  constructor(most = mostNames) {
    this.#most = most;
  }

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= this.#most) return known;
    const times = (this.#times.get(text) ?? 0) + 1;
    if (times < timesBeforeName) {
      if (this.#times.size >= mostTexts) this.#times.clear();
      this.#times.set(text, times);
      return undefined;
    }
    this.#times.delete(text);
    if (!canHaveName(text)) return undefined;
    const name = `s${this.#generation}-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** After a migration by another server, statements with changed columns fail: everything gets new names. */
  startAnew(): void {
    this.#names.clear();
    this.#generation += 1;
  }
}

/** PostgreSQL's `feature_not_supported`: 'cached plan must not change result type'. */
const planIsOld = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '0A000' && /cached plan/.test(error.message);

type Callback = (error: unknown, result: unknown) => void;
type Query = (config: unknown, values?: unknown, callback?: Callback) => unknown;

const begins = /^(begin|start transaction)\b(?!.*\bread only\b)/i;
const ends = /^(commit|rollback)\b(?!\s+to\b)/i;

/**
 * Gives a name to each frequent statement of a transaction that `client` sends, and to those that find the caller. Such
 * statements find their rows by key whatever the values are. Lists and sums that a reader filters run outside, and are planned with their values: without
 * them the year of a few projects is searched as if it were the newest page of all.
 */
export const nameStatements = (client: pg.PoolClient, names: StatementNames): void => {
  const send = client.query.bind(client) as unknown as Query;
  const forget = (error: unknown): void => {
    if (planIsOld(error)) names.startAnew();
  };
  let writes = false;
  const query: Query = (config, values, callback) => {
    if (typeof config === 'string') writes = begins.test(config) || (writes && !ends.test(config));
    const name =
      typeof config === 'string' && Array.isArray(values) && (writes || ofCaller.test(config))
        ? names.nameOf(config)
        : undefined;
    if (name === undefined) return send(config, values, callback);
    const named = { name, text: config, values };
    if (callback)
      return send(named, undefined, (error, result) => {
        forget(error);
        callback(error, result);
      });
    const answer = send(named) as Promise<unknown>;
    answer.catch(forget);
    return answer;
  };
  client.query = query as typeof client.query;
};
