import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db, Tables } from '#database/connect.ts';
import { dayOf, makeDays } from '#database/partitions.ts';
import { appendOperations } from '#server/core/operation-log.ts';
import { alarmRows } from './alarm-rows.ts';
import { planAlarms } from './alarms.ts';
import { keptReadings } from './arcs.ts';
import { type CommandRow, planSwitchings } from './commands.ts';
import { insertRows } from './copy.ts';
import { insertDeliveries, planDeliveries } from './deliveries.ts';
import { furnishDevices, furnishPlaces } from './devices.ts';
import { furnishFirmware } from './firmware.ts';
import { rememberFleet } from './fleet.ts';
import { historyInstants, writeHistory } from './history.ts';
import { planOperations } from './log.ts';
import { maintenanceRows } from './maintenance.ts';
import { messageRows, planMessages } from './messages.ts';
import { furnishNotices } from './notices.ts';
import { type FurnishedUser, furnishPeople } from './people.ts';
import { furnishRecords } from './records.ts';
import { furnishTariffs } from './tariffs.ts';
import { furnishTimers } from './timers.ts';
import { furnishUpkeep } from './upkeep.ts';
import { hourMs } from './walk.ts';

interface DemoOptions {
  /** The instant at which history ends, epoch ms. */
  now: number;
  /** The same seed and `now` give the same estate. */
  seed: string | number;
  /** Secret of a device by its number; only its hash is stored. */
  secretOf: (number: string) => string;
  /** Hash of the password that all demo accounts share. */
  passwordHash: string;
  onProgress?: (sentence: string) => void;
}

/** A Kysely on one connection, inside the caller's transaction. */
const over = (client: pg.PoolClient): Db => {
  const lent = { query: client.query.bind(client), release: () => {} };
  const pool = { options: {}, connect: async () => lent, end: async () => {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
};

const tablesToAnalyze = [
  'readings',
  'rollup_minute',
  'rollup_quarter',
  'rollup_hour',
  'rollup_day',
  'rollup_month',
  'load_quarter',
  'alarms',
  'deliveries',
  'messages',
  'devices',
  'lines',
];

/**
 * Fills a database that has the base rows: 12 projects, 121 devices, people of every role, and 60 days of
 * consistent history. All or nothing; only partitions remain if it fails.
 */
export const furnishDemo = async (db: Db, pool: pg.Pool, options: DemoOptions): Promise<void> => {
  const { now } = options;
  const report = options.onProgress ?? (() => {});
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('set local synchronous_commit = off');
    const trx = over(client);
    const places = await furnishPlaces(trx, now);
    const people = await furnishPeople(trx, places, {
      at: new Date(now - 90 * 24 * hourMs),
      passwordHash: options.passwordHash,
    });
    const admin = await db
      .selectFrom('users')
      .select(['id', 'username', 'nickname as name', 'mobile'])
      .orderBy('id')
      .executeTakeFirst();
    const everybody: FurnishedUser[] = admin
      ? [{ ...admin, role: builtInRoles.admin, scope: { all: true } }, ...people]
      : people;
    const devices = await furnishDevices(trx, places, options);
    await rememberFleet(trx, devices, now);
    await furnishRecords(trx, devices, everybody, now);
    const chief = everybody[0];
    if (chief) {
      await furnishFirmware(trx, devices, chief, options);
      await furnishUpkeep(trx, chief, options);
    }
    await furnishTariffs(trx, now);
    const timers = await furnishTimers(trx, places, devices, everybody, now);
    report(`${places.length} projects, ${devices.length} devices, ${people.length} people, ${timers} timers`);

    const days = new Set(historyInstants(devices, now).map(dayOf));
    await makeDays(pool, 'readings', days);
    await makeDays(pool, 'rollup_minute', days);
    const switchings = planSwitchings(devices, everybody, options);
    const episodes = planAlarms(devices, switchings.mismatches, options);
    const lastCommands = new Map<number, CommandRow>();
    for (const command of switchings.commands)
      if (command.verb === 'open' || command.verb === 'close') lastCommands.set(command.line_id, command);
    for (const [index, place] of [...places, null].entries()) {
      const batch = devices.filter((device) => device.projectId === (place?.id ?? null));
      const lines = new Set(batch.flatMap((device) => device.lines.map((line) => line.id)));
      const last = new Map([...lastCommands].filter(([lineId]) => lines.has(lineId)));
      await writeHistory(client, batch, switchings, last, {
        ...options,
        kept: keptReadings(episodes, options.seed),
      });
      if (place) report(`60 days of readings: ${place.name} (${index + 1} of ${places.length})`);
    }

    const rows = alarmRows(episodes, everybody, options);
    await insertRows(client, 'alarms', rows.alarms);
    await insertRows(client, 'alarm_history', rows.history);
    await insertRows(client, 'alarm_events', rows.events);
    await insertRows(client, 'work_orders', rows.workOrders);
    await client.query(`select setval('alarm_ids', $1)`, [rows.alarms.length]);
    await insertRows(client, 'commands', switchings.commands);
    await insertRows(client, 'position_events', switchings.positions);
    report(`${rows.alarms.length} alarms, ${switchings.commands.length} commands`);
    const rules = await furnishNotices(trx, everybody, now);
    const planned = planDeliveries(rules, rows.notified, places, everybody, options);
    await insertRows(client, 'alarm_notices', planned.plans);
    await insertDeliveries(client, planned.deliveries);
    const messages = [...planned.messages, ...planMessages(places, devices, everybody, now)];
    await insertRows(client, 'messages', messageRows(messages, options));
    report(`${rules.length} notices, ${planned.deliveries.length} deliveries, ${messages.length} messages`);

    const visits = maintenanceRows(places, devices, rows, options);
    await insertRows(client, 'maintenance_records', visits);
    await appendOperations(
      trx,
      planOperations(everybody, devices, switchings.commands, rows.handled, options),
    );
    // Rollups are computed up to this point: history is finished, later readings are not.
    await insertRows(client, 'settings', [
      { key: 'rollups.through', value: now, updated_at: new Date(now).toISOString() },
      { key: 'demo', value: true, updated_at: new Date(now).toISOString() },
    ]);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
  await pool.query(`analyze ${tablesToAnalyze.join(', ')}`);
  report('The demo estate is furnished.');
};
