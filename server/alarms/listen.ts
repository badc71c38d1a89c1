import type pg from 'pg';
import { isOpen } from '#server/control/states.ts';
import { inBatch } from '#server/core/batch.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Judgement } from '#server/core/group.ts';
import { transact } from '#server/core/in-transaction.ts';
import { notDeletedSql } from '#server/core/not-deleted.ts';
import type { AlarmRecorder, Moved } from './engine/engine.ts';
import { movesContacts } from './engine/open-with-current.ts';
import { notedReturns } from './engine/returns.ts';
import { mergeTallies } from './tallies.ts';

const mergeEvery = 1000;
const reviewEveryMs = 60_000;

const writeAlone = async (pool: pg.Pool, judgement: Judgement): Promise<void> => {
  const client = await pool.connect();
  try {
    await transact(client, () => inBatch(client, (batch) => judgement.write(batch)));
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
};

/**
 * Ends latched alarms when a `reset` command is verified, follows types that are switched on or off, checks
 * every minute whether outages persist and whether devices were deleted or moved, and merges the totals.
 * Returns a stop function, which waits for a reset that is being written.
 */
export const listenForAlarms = (deps: {
  bus: Bus;
  pool: pg.Pool;
  clock: Clock;
  recorder: AlarmRecorder;
  onError: (error: unknown) => void;
}): (() => Promise<void>) => {
  const { bus, pool, clock, recorder, onError } = deps;
  /**
   * One after the other: reviews share this queue with resets and merges, so they have no rounds of their
   * own.
   */
  let running: Promise<void> = Promise.resolve();
  let unmerged = 0;

  const reset = async (deviceId: number, lineId: number) => {
    const { rows } = await pool.query<{ id: number }>(
      `select id from lines where device_id = $1
         and (id = $2 or exists (select 1 from lines whole where whole.id = $2 and whole.n = 0))
       order by id`,
      [deviceId, lineId],
    );
    const lineIds = rows.map((row) => row.id);
    await write(() => recorder.reset(lineIds, clock.now()));
  };
  const readTypes = async () => {
    const { rows } = await pool.query<{ code: number; enabled: boolean }>(
      'select code, enabled from alarm_types',
    );
    for (const { code, enabled } of rows) recorder.setEnabled(code, enabled);
  };
  const write = async (judged: () => Judgement) => {
    const changes = await recorder.inTurn(async () => {
      const judgement = judged();
      if (judgement.empty) return [];
      try {
        await writeAlone(pool, judgement);
      } catch (error) {
        judgement.undo();
        throw error;
      }
      return judgement.settle();
    });
    if (changes.length > 0) bus.emit('alarms.changed', changes);
  };

  const forgetGone = async () => {
    const { rows } = await pool.query<{ id: number }>(
      `select d.id from devices d join (
           select device_id from alarms where cleared_at is null union select device_id from line_conditions
         ) known on known.device_id = d.id
       where d.deleted_at is not null`,
    );
    const deviceIds = rows.map((row) => row.id);
    if (deviceIds.length > 0) await write(() => recorder.forget(deviceIds, clock.now()));
  };

  const moveOn = async () => {
    const { rows } = await pool.query<Moved>(
      `select distinct d.id as "deviceId", d.project_id as "projectId", d.part_id as "partId"
       from alarms a join devices d on d.id = a.device_id
       where a.cleared_at is null and a.line_id > 0 and ${notDeletedSql('d')}
         and (a.project_id is distinct from d.project_id or a.part_id is distinct from d.part_id)`,
    );
    if (rows.length > 0) await write(() => recorder.moved(rows, clock.now()));
  };

  const takeReturns = async () => {
    const returns = await notedReturns(pool);
    if (returns.length > 0) await write(() => recorder.returned(returns, clock.now()));
  };

  let cancel = () => {};
  const review = () => {
    cancel = clock.after(reviewEveryMs, review);
    running = running
      .then(forgetGone)
      .then(moveOn)
      .then(takeReturns)
      .then(() => write(() => recorder.review(clock.now())))
      .catch(onError);
  };
  cancel = clock.after(reviewEveryMs, review);

  const stops = [
    bus.on('command.changed', ({ verb, state, deviceId, lineId, commandId }) => {
      if (movesContacts(verb)) recorder.commanded({ lineId, deviceId, commandId }, isOpen(state));
      if (verb === 'reset' && (state === 'verified' || state === 'answered'))
        running = running.then(() => reset(deviceId, lineId)).catch(onError);
    }),
    bus.on('alarms.changed', (changes) => {
      for (const { kind, lineId, alarmId } of changes)
        if (kind === 'handled') recorder.handled(lineId, alarmId);
      unmerged += changes.length;
      if (unmerged < mergeEvery) return;
      unmerged = 0;
      running = running.then(() => mergeTallies(pool)).catch(onError);
    }),
    bus.on('project.changed', ({ projectId, timeZone }) => recorder.setZone(projectId, timeZone)),
    bus.on('alarmType.changed', ({ code, enabled }) => {
      recorder.setEnabled(code, enabled);
      if (enabled) running = running.then(() => write(() => recorder.review(clock.now()))).catch(onError);
    }),
    bus.on('events.missed', () => {
      running = running
        .then(readTypes)
        .then(() => recorder.takeCommands(pool))
        .catch(onError);
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    cancel();
    await running;
  };
};
