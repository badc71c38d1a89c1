import pg from 'pg';

export interface Statement {
  /** Prepared under this name once a connection. */
  name: string;
  text: string;
  values?: readonly unknown[];
  /** What a `copy … from stdin` takes in. */
  copied?: Buffer;
}

/** What node-postgres' connection can do beyond its published types. */
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

/** What a statement answers: its only row's only column, JSON. To be read after it was sent. */
export class Answer<Value> {
  #text: string | null | undefined;

  /** The first value that came. */
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
 * Several statements, COPY included, sent in one go and answered in one: a round trip for all of them. Without a
 * `begin` among them they are one transaction by themselves (PostgreSQL's documentation, 54.2.3 and 54.2.4).
 */
class Sending implements pg.Submittable {
  readonly #all: readonly Waiting[];
  readonly #done = Promise.withResolvers<void>();
  #error: unknown = null;
  /** Statements that are complete. */
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
 * Statements of one connection that wait for each other's company: what is added goes out with the next ones, in their
 * order, when somebody needs an answer. After an error the connection is to be given up: what it has prepared is in
 * doubt.
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

  /** Resolves when all that was added is done. */
  async send(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    await this.#client.query(new Sending(waiting)).done;
  }

  /** A statement of rows with columns, after all that was added; prepared where it has a name. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[], name?: string): Promise<Row[]> {
    await this.send();
    const { rows } = await this.#client.query<Row>({ text, values, ...(name !== undefined && { name }) });
    return rows;
  }
}

/** Runs `work` with a batch on this connection, and sends what it has added. */
export const inBatch = async (
  client: pg.ClientBase,
  work: (batch: Batch) => Promise<void>,
): Promise<void> => {
  const batch = new Batch(client);
  await work(batch);
  await batch.send();
};
