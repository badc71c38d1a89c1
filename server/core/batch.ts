import pg from 'pg';

export interface Statement {
  /** Prepared under this name, once per connection. */
  name: string;
  text: string;
  values?: readonly unknown[];
  /** The data of a `copy … from stdin`. */
  copied?: Buffer;
}

/** Methods of node-postgres' connection beyond its published types. */
interface Wire extends Pick<pg.Connection, 'stream' | 'sync'> {
  parse(query: { name: string; text: string }): void;
  bind(config: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  execute(config: object): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

const prepared = new WeakMap<pg.Connection, Set<string>>();
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * The answer of a statement: the only column of its only row, as JSON. Read it after the statement was sent.
 */
export class Answer<Value> {
  #text: string | null | undefined;

  /** Keeps the first value only. */
  take(text: string | null): void {
    this.#text ??= text;
  }

  get value(): Value {
    if (typeof this.#text !== 'string') throw new TypeError('the statement gave no answer');
    return JSON.parse(this.#text) as Value;
  }
}

interface Waiting {
  readonly statement: Statement;
  readonly answer: Answer<unknown>;
}

/**
 * Several statements, including COPY, sent and answered in one round trip. Unless they contain `begin`, they
 * are one transaction (PostgreSQL's documentation, 54.2.3 and 54.2.4).
 */
class Sending implements pg.Submittable {
  readonly #all: readonly Waiting[];
  readonly #done = Promise.withResolvers<void>();
  #error: unknown = null;
  /** Number of completed statements. */
  #complete = 0;

  constructor(all: readonly Waiting[]) {
    this.#all = all;
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    const known = prepared.get(connection) ?? new Set();
    prepared.set(connection, known);
    wire.stream.cork();
    for (const { statement } of this.#all) {
      const { name, text, values = [], copied } = statement;
      if (!known.has(name)) wire.parse({ name, text });
      known.add(name);
      wire.bind({ statement: name, values, valueMapper: prepareValue });
      wire.execute({});
      if (!copied) continue;
      wire.sendCopyFromChunk(copied);
      wire.endCopyFrom();
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleError(error: unknown): void {
    this.#error = error;
    this.#done.reject(error);
  }
  handleReadyForQuery(): void {
    if (this.#error === null) this.#done.resolve();
  }
  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#all[this.#complete]?.answer.take(fields[0] ?? null);
  }
  handleCommandComplete(): void {
    this.#complete += 1;
  }
  handleEmptyQuery(): void {
    this.#complete += 1;
  }
  handleCopyInResponse(): void {}
}

/**
 * Collects the statements of one connection: they are sent together, in order, when an answer is needed.
 * After an error the connection must be discarded, because its prepared statements are uncertain.
 */
export class Batch {
  readonly #client: pg.ClientBase;
  #waiting: Waiting[] = [];

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  add<Value = unknown>(statement: Statement): Answer<Value> {
    const answer = new Answer<Value>();
    this.#waiting.push({ statement, answer });
    return answer;
  }

  /** Resolves when all added statements are done. */
  async send(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    await this.#client.query(new Sending(waiting)).done;
  }

  /** A statement that returns rows, after all added ones; prepared if it has a name. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[], name?: string): Promise<Row[]> {
    await this.send();
    const { rows } = await this.#client.query<Row>({ text, values, ...(name !== undefined && { name }) });
    return rows;
  }
}

/** Runs `work` with a batch on this connection, and sends the remaining statements. */
export const inBatch = async (
  client: pg.ClientBase,
  work: (batch: Batch) => Promise<void>,
): Promise<void> => {
  const batch = new Batch(client);
  await work(batch);
  await batch.send();
};
