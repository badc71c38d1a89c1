import type pg from 'pg';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import type { Judge } from '#server/core/group.ts';

/** The product's alarm rules, on every reading. */
export const judgeOf = async (pool: pg.Pool): Promise<Judge> => {
  const recorder = createAlarmRecorder();
  await recorder.load(pool);
  return recorder;
};
