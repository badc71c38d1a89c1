import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';

/** What nearly every part of the server needs: database, events, time and log. */
export interface CoreDeps {
  db: Db;
  bus: Bus;
  clock: Clock;
  log: Logger;
}
