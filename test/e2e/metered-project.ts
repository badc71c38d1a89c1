import mqtt from 'mqtt';
import type pg from 'pg';
import { topicOf } from '#contract/telemetry.ts';
import { systemClock } from '#server/core/clock.ts';
import { dayOf, startOf } from '#server/core/zone.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { makeDevice, makeProject } from '../factories.ts';
import { patienceMs } from '../patience.ts';
import { eventually } from '../wait.ts';
import type { House } from './house.ts';

const quarterMs = 900_000;
const dayMs = 86_400_000;
const zone = 'Asia/Shanghai';
/** Where the second line's register is reset, in quarters of an hour. */
const resetAt = 150;

/** Power of a line in a quarter of an hour, W: more by day than by night, different for each line. */
const wattsOf = (line: number, quarter: number): number => {
  const hour = Math.floor(quarter / 4) % 24;
  return (hour >= 8 && hour < 19 ? 2400 : 300) + 200 * line + ((quarter * 37) % 23) * 20;
};
/** Reports of a device with two lines every quarter of an hour, over two days from midnight. */
const reportsOf = (first: number, from: number) => {
  const registers = [first * 100, first * 70];
  return Array.from({ length: (2 * dayMs) / quarterMs + 1 }, (_, quarter) => ({
    v: 1,
    boot: 1,
    seq: quarter + 1,
    t: from + quarter * quarterMs,
    bf: 1,
    ln: registers.map((_, index) => {
      const watts = wattsOf(first + index, quarter);
      if (index === 1 && quarter === resetAt) registers[index] = 0;
      if (quarter > 0) registers[index] = registers[index]! + Math.round(watts / 40);
      return {
        n: index + 1,
        sw: 1,
        U: { a: 230 },
        I: { a: watts / 230 },
        P: { t: watts },
        E: registers[index]! / 100,
      };
    }),
  }));
};
const send = async (
  mqttUrl: string,
  { number, secret }: { number: string; secret: string },
  reports: readonly object[],
): Promise<void> => {
  const client = await mqtt.connectAsync(mqttUrl, {
    clientId: number,
    username: number,
    password: secret,
    reconnectPeriod: 0,
  });
  const topic = topicOf(number, 'tele');
  await Promise.all(reports.map((report) => client.publishAsync(topic, JSON.stringify(report), { qos: 1 })));
  await client.endAsync();
};
const sumUp = async (pool: pg.Pool, projectId: number, lineIds: readonly number[]): Promise<void> => {
  const rollups = createRollups({ pool, clock: systemClock });
  // The product may be running the same round; then this waits for it.
  let summedUp: { waiting: number; summed: number } | undefined;
  const isSummedUp = async () => {
    await rollups.round();
    const { rows } = await pool.query<{ waiting: number; summed: number }>(
      `select (select count(*) from rollup_dirty where line_id = any($1)) +
        (select count(*) from load_dirty where project_id = $2) as waiting,
        (select count(*) from load_quarter where project_id = $2 and part_id = 0) as summed`,
      [lineIds, projectId],
    );
    summedUp = rows[0]!;
    return summedUp.waiting === 0 && summedUp.summed >= (2 * dayMs) / quarterMs;
  };
  await eventually(isSummedUp, { withinMs: 2 * patienceMs, said: () => summedUp });
  await rollups.stop();
};

/**
 * A project whose two devices have reported the registers of their lines for two whole days, the last of them
 * yesterday; one register was reset in between.
 */
export const meteredProject = async ({ db, pool, mqttUrl }: House) => {
  const project = await makeProject(db, { name: 'Metered works', time_zone: zone });
  const devices = [];
  for (const number of ['METERED01', 'METERED02'])
    devices.push(await makeDevice(db, { number, project_id: project.id, type: 3, lines: 2 }));
  await db
    .updateTable('devices')
    .set({ upload_seconds: quarterMs / 1000 })
    .where('project_id', '=', project.id)
    .execute();
  const until = startOf('day', Date.now(), zone).getTime();
  const from = until - 2 * dayMs;
  await Promise.all(devices.map((device, index) => send(mqttUrl, device, reportsOf(index + 1, from))));
  const lines = devices.flatMap((device) => device.lines);
  await sumUp(
    pool,
    project.id,
    lines.map(({ id }) => id),
  );
  return {
    id: project.id,
    devices,
    lineIds: lines.map(({ id }) => id),
    /** The line whose register was reset. */
    reset: devices[0]!.lines[1]!,
    /** The last whole day. */
    day: dayOf(until - dayMs, zone),
    from: new Date(until - dayMs),
    until: new Date(until),
  };
};
export type MeteredProject = Awaited<ReturnType<typeof meteredProject>>;
