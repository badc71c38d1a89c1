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

/**
 * Several statements, COPY included, sent in one go and answered in one: a round trip for all of them. Without a
 * `begin` among them they are one transaction by themselves (PostgreSQL's documentation, 54.2.3 and 54.2.4).
 */
class Batch implements pg.Submittable {
  readonly #statements: readonly Statement[];
  readonly #done = Promise.withResolvers<void>();
  #error: unknown = null;

  constructor(statements: readonly Statement[]) {
    this.#statements = statements;
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    const known = prepared.get(connection) ?? new Set();
    prepared.set(connection, known);
    wire.stream.cork();
    for (const { name, text, values = [], copied } of this.#statements) {
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
  /** Nobody asks for rows: a `select` is here for its locks. */
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleCopyInResponse(): void {}
  handleEmptyQuery(): void {}
}

/** Resolves when all are done. After an error the connection is to be given up: what it has prepared is in doubt. */
export const runBatch = (client: pg.ClientBase, statements: readonly Statement[]): Promise<void> =>
  client.query(new Batch(statements)).done;
