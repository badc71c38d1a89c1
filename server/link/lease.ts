import type pg from 'pg';

const retryMs = 1_000;

/**
 * Holds a name in the database for one node at a time. It passes to the next node when the connection of its
 * holder ends, also by a crash, without waiting for a time-out.
 */
export class Lease {
  readonly #pool: pg.Pool;
  readonly #name: string;
  #client: pg.PoolClient | null = null;
  #stopped = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(pool: pg.Pool, name: string) {
    this.#pool = pool;
    this.#name = name;
  }

  start(onGained: () => void, onLost: () => void): void {
    const tryAgain = () => {
      if (!this.#stopped) this.#timer = setTimeout(() => void attempt(), retryMs);
    };
    const attempt = async () => {
      const client = await this.#take().catch(() => null);
      if (!client) return tryAgain();
      if (this.#stopped) return client.release(true);
      this.#client = client;
      client.once('end', () => {
        if (this.#client !== client) return;
        this.#client = null;
        client.release(true);
        onLost();
        tryAgain();
      });
      onGained();
    };
    void attempt();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    client?.release(true);
  }

  async #take(): Promise<pg.PoolClient | null> {
    const client = await this.#pool.connect();
    try {
      const { rows } = await client.query<{ held: boolean }>(
        'select pg_try_advisory_lock(hashtext($1)) as held',
        [this.#name],
      );
      if (rows[0]?.held) return client;
    } catch {
      // the database is down: retried
    }
    client.release(true);
    return null;
  }
}
