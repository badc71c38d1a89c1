/**
 * A server with alarms for tests: message groups are judged and written as the link does, and operators use
 * HTTP.
 */
import type { AlarmRow } from '#contract/alarms.ts';
import { alarmTypeRoutes } from '#server/alarm-types/alarm-types.routes.ts';
import { inBatch } from '#server/core/batch.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import { faultOf } from '#server/core/database-fault.ts';
import type { GroupEvent, GroupFinding, GroupReading, LineRef } from '#server/core/group.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { eventOf, lineOf, readingOf, start, type Values } from '#test/alarm-feeder.ts';
import { alarmTables, emptyTables } from '#test/database.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmRoutes, whatIfRoutes } from './alarms.routes.ts';
import { type AlarmRecorder, createAlarmRecorder } from './engine/engine.ts';
import { listenForAlarms } from './listen.ts';

export const normal: Values = { 'U.a': 220, 'I.a': 10, IL: 5, 'T.m': 40 };

export interface AlarmWorld {
  readonly world: World;
  readonly operator: Client;
  /** Line 1 of the device, and its line 0. */
  readonly line: LineRef;
  readonly deviceLine: LineRef;
  /** Empties the alarm tables and uses another device. */
  renew(): Promise<void>;
  /** Kills the process; another one starts on its database. */
  restart(): Promise<void>;
  group(given: {
    readings?: GroupReading[];
    events?: GroupEvent[];
    findings?: GroupFinding[];
  }): Promise<AlarmChange[]>;
  /** A reading of line 1 with `normal` values and the given ones. */
  read(seconds: number, values?: Values, given?: Partial<GroupReading>): Promise<AlarmChange[]>;
  event(seconds: number, message: Parameters<typeof eventOf>[2], of?: LineRef): Promise<AlarmChange[]>;
  find(seconds: number, code: number, active?: boolean, of?: LineRef): Promise<AlarmChange[]>;
  reset(seconds: number): Promise<AlarmChange[]>;
  /** Runs the review that takes place every minute. */
  review(seconds: number): Promise<AlarmChange[]>;
  /** Alarms in the order in which they were raised. */
  list(): Promise<AlarmRow[]>;
  unprocessed(): Promise<number>;
  handleAll(): Promise<void>;
  close(): Promise<void>;
}

export const createAlarmWorld = async (): Promise<AlarmWorld> => {
  const world = await createWorld((serve, { databaseUrl }) => {
    alarmRoutes(serve);
    whatIfRoutes(serve, databaseUrl);
    alarmTypeRoutes(serve, { provePassword });
  });
  const operator = await world.as((await makeUser(world.db, { role: 1 })).id);
  let recorder: AlarmRecorder;
  let line = lineOf();
  let deviceLine = line;
  let stopListening = async () => {};

  const write = async (judged: () => ReturnType<AlarmRecorder['judge']>): Promise<AlarmChange[]> => {
    for (;;) {
      const judgement = judged();
      const client = await world.pool.connect();
      try {
        await client.query('begin');
        await inBatch(client, (batch) => judgement.write(batch));
        await client.query('commit');
        return judgement.settle();
      } catch (error) {
        await client.query('rollback');
        judgement.undo();
        if (faultOf(error) !== 'conflict') throw error;
      } finally {
        client.release();
      }
    }
  };
  const restart = async () => {
    await stopListening();
    recorder = createAlarmRecorder();
    await recorder.load(world.pool);
    const { bus, pool, clock } = world;
    stopListening = listenForAlarms({ bus, pool, clock, recorder, onError: () => {} });
  };
  const group: AlarmWorld['group'] = ({ readings = [], events = [], findings = [] }) =>
    write(() => recorder.judge(readings, events, findings));
  const list = async (): Promise<AlarmRow[]> =>
    (await operator.call('/device_warning/WarningList', { limit: 200, sort: 'time' })).data.list;
  return {
    world,
    operator,
    get line() {
      return line;
    },
    get deviceLine() {
      return deviceLine;
    },
    async renew() {
      await emptyTables(world.pool, ...alarmTables);
      const project = await makeProject(world.db);
      const device = await makeDevice(world.db, { project_id: project.id });
      const zero = await world.db
        .selectFrom('lines')
        .select('id')
        .where('device_id', '=', device.id)
        .where('n', '=', 0)
        .executeTakeFirst();
      const about = { deviceId: device.id, projectId: project.id, deviceLineId: zero?.id ?? 0 };
      line = lineOf({ ...about, lineId: device.lines[0]?.id ?? 0 });
      deviceLine = lineOf({ ...about, lineId: zero?.id ?? 0, n: 0 });
      await restart();
    },
    restart,
    group,
    read: (seconds, values = {}, given = {}) =>
      group({ readings: [readingOf(line, seconds, { ...normal, ...values }, given)] }),
    event: (seconds, message, of = line) => group({ events: [eventOf(of, seconds, message)] }),
    find: (seconds, code, active = true, of = line) =>
      group({ findings: [{ line: of, code, level: 2, active, value: 1, at: start + seconds * 1000 }] }),
    reset: (seconds) => write(() => recorder.reset([line.lineId], start + seconds * 1000)),
    review: (seconds) => write(() => recorder.review(start + seconds * 1000)),
    list,
    unprocessed: async () => (await operator.call('/device_warning/get_news_tips')).data.unprocessed,
    async handleAll() {
      const ids = (await list()).filter((row) => row.status === 'unprocessed').map((row) => row.id);
      await operator.call('/device_warning/batchHandle', { ids, content: 'seen to' });
    },
    async close() {
      await stopListening();
      await world.close();
    },
  };
};
