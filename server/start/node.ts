import type pg from 'pg';
import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Owner } from '#database/owner.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Config } from '#server/core/config.ts';
import type { Stack } from './stack.ts';

/** The common parts of a node. */
export interface NodeParts {
  config: Config;
  log: Logger;
  clock: Clock;
  stack: Stack;
  pool: pg.Pool;
  db: Db;
  /** Connections for work that the role of `db` may not do. */
  owner: Owner;
  bus: Bus;
}

/** A part that starts at once and stops with the node. */
export const begin = async (
  stack: Stack,
  name: string,
  part: { start(): unknown; stop(): unknown },
): Promise<void> => {
  await part.start();
  stack.add(name, () => part.stop());
};
