import type pg from 'pg';
import type { Owner } from '#database/owner.ts';
import type { Config } from '#server/core/config.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import type { Stack } from './stack.ts';

/** The common parts of a node. */
export interface NodeParts extends CoreDeps {
  config: Config;
  stack: Stack;
  pool: pg.Pool;
  /** Connections for work that the role of `db` may not do. */
  owner: Owner;
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
