import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { makeDays } from '#database/partitions.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { type Client, testPassword, type World } from './world.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

export interface Tenant {
  /** Has every letter, in the tenant's project only. */
  keeper: Client;
  projectId: number;
  partId: number;
  /** Ids of the tenant's rows by the field that names them; `id` and `ids` depend on the path of the call. */
  idsFor(path: string): Readonly<Record<string, unknown>>;
}

/** Adds a row of any table: only the columns that answers show are given. */
const insert = async (db: Db, table: string, row: object): Promise<number> => {
  const names = Object.keys(row);
  const { rows } = await sql<{ id?: number }>`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(row).map((value) => sql`${value}`))}) returning *`.execute(db);
  return rows[0]?.id ?? 0;
};

/** From now on each table numbers its rows from its own start, so that no two rows share an id. */
const numberFrom = async (db: Db, start: number): Promise<void> => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES' and column_name = 'id' order by 1`.execute(db);
  for (const [index, { name }] of rows.entries())
    await sql`alter table ${sql.table(name)} alter column id
      restart with ${sql.lit(start + index * 1000)}`.execute(db);
};

/** The place in the stream of events moves with time; which events a stream brings is tested in `live-scopes.test.ts`. */
export const streamPlace = /"last_event":"[^"]*"/;

/** Partitions for the rows of tenants. */
export const makeTenantDays = async ({ pool, clock }: World): Promise<void> => {
  const today = Math.floor(clock.now() / dayMs);
  for (const table of ['readings', 'rollup_minute'] as const) await makeDays(pool, table, [today - 1, today]);
};

const rollups = [
  ['rollup_minute', minuteMs, 5],
  ['rollup_quarter', 15 * minuteMs, 20],
  ['rollup_hour', 60 * minuteMs, 30],
  ['rollup_day', dayMs, 5],
] as const;

/** Figures of a line: readings, the latest one and its rollups, all of this value. */
const measure = async (db: Db, lineId: number, value: number, at: number): Promise<void> => {
  const channels = [220, value % 100, value];
  const now = new Date(at);
  const reading = { line_id: lineId, boot: 1, energy: value, channels, position: 1 };
  await insert(db, 'line_latest', { ...reading, at: now, received_at: now, seq: 9, position_at: now });
  for (let back = 0; back < 3; back++)
    await insert(db, 'readings', { ...reading, at: new Date(at - back * minuteMs), seq: 9 - back, rx_ms: 0 });
  // Days of the project's zone begin at 16:00 UTC.
  for (const [table, step, count] of rollups)
    for (let back = 1; back <= count; back++) {
      const end = table === 'rollup_day' ? Math.floor(at / dayMs) * dayMs - dayMs / 3 : at - (at % step);
      await insert(db, table, {
        ...{ line_id: lineId, bucket: new Date(end - back * step), samples: 10, covered_s: step / 1000 },
        ...{ energy_kwh: value / 100, power_min: value, power_avg: value, power_max: value },
        current_max: 5,
      });
    }
};

/**
 * A project with rows in the tables that answers read. `start`: the first id of each table; `n` makes phone numbers
 * and figures different from those of other tenants.
 */
export const makeTenant = async (
  world: World,
  { mark, n, region_id, start }: { mark: string; n: number; region_id: number; start: number },
): Promise<Tenant> => {
  const { db, clock } = world;
  const at = clock.now();
  const now = new Date(at);
  await numberFrom(db, start);
  const project = await makeProject(db, { name: `${mark} site`, region_id });
  const part = await makePart(db, project.id, `${mark} part`);
  const user = await makeUser(db, {
    ...{ role: 77, letters: 'ABCDEFGHIJKLMN', username: `${mark}keeper`, nickname: `${mark} keeper` },
    projects: [{ id: project.id }],
  });
  const keeper = await world.as(user.id);
  const done = async (path: string, body: object): Promise<Record<string, number>> => {
    const { status, data, response } = await keeper.call(path, body);
    if (status !== 200) throw new Error(`${path} answers ${response.payload}`);
    return data;
  };
  const image = crypto.randomUUID();
  await insert(db, 'uploads', {
    ...{
      id: image,
      media_type: 'image/png',
      bytes: 1,
      sha256: Buffer.from(image),
      content: Buffer.from(mark),
    },
    ...{ created_by: user.id, created_at: now },
  });
  const online = { project_id: project.id, online: true, last_seen: now };
  const device = await makeDevice(db, { ...online, number: `${mark}DEV1`, lines: 2 });
  const inPart = await makeDevice(db, { ...online, part_id: part.id, number: `${mark}DEV2` });
  await db
    .updateTable('devices')
    .set({ name: mark, address: mark, image_id: image, firmware: '1.0.0', iccid: `898600000000000000${n}` })
    .where('project_id', '=', project.id)
    .execute();
  const [first, second] = [device.lines[0]!, device.lines[1]!];
  const third = inPart.lines[0]!;
  const lines = [first, second, third];
  for (const [index, line] of lines.entries()) {
    await db
      .updateTable('lines')
      .set({ name: `${mark} ${index}` })
      .where('id', '=', line.id)
      .execute();
    await measure(db, line.id, 1111 * n + index, at);
    const handled = index === 1 ? { handled_at: now, handled_by: user.id, handling_content: mark } : {};
    await insert(db, 'alarms', {
      ...{
        line_id: line.id,
        id: start + 900 + index,
        work_order: `W${mark}${index}`,
        code: [101, 401, 301][index],
      },
      ...{
        device_id: line === third ? inPart.id : device.id,
        project_id: project.id,
        level: 2,
        source: 'server',
      },
      ...{ part_id: line === third ? part.id : null, severity: index + 1, value_type: 1, value: 270 + n },
      ...{
        raised_at: new Date(at - (index + 1) * 60 * minuteMs),
        received_at: now,
        last_at: now,
        ...handled,
      },
    });
    await insert(db, 'alarm_history', {
      ...{
        line_id: line.id,
        alarm_id: start + 900 + index,
        seq: 1,
        at: now,
        kind: 'raised',
        user_id: user.id,
      },
    });
    await insert(db, 'alarm_events', {
      ...{
        line_id: line.id,
        at: now,
        code: 201,
        phase: 0,
        level: 2,
        kind: 'raised',
        value: n,
        event_id: mark,
      },
    });
  }
  const alarm = start + 900;
  const [command, batch, job] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const by = { user_id: user.id, operator: mark, created_at: now };
  const acted = { ...by, address: mark };
  await insert(db, 'batches', {
    ...{
      ...acted,
      id: batch,
      action: 'open',
      state: 'done',
      cause: 'onekey',
      channel: 'web',
      request_id: mark,
    },
    ...{ pace_ms: 0, beat_at: now, ended_at: now },
  });
  await insert(db, 'commands', {
    ...{
      ...acted,
      id: command,
      device_id: device.id,
      line_id: first.id,
      number: 1,
      verb: 'open',
      batch_id: batch,
    },
    ...{ state: 'verified', cause: 'button', expires_at: now, ended_at: now, deadline_at: now },
  });
  const switched = { device_id: device.id, line_id: first.id, command_id: command, at: now };
  await insert(db, 'batch_lines', { ...switched, batch_id: batch, position: 0, state: 'requested' });
  await insert(db, 'device_jobs', { ...by, id: job, parameters: '{}', kind: 'unbind', total: 1 });
  await insert(db, 'device_job_rows', {
    job_id: job,
    device_id: device.id,
    state: 'skipped',
    reason: 'device.tagged',
  });
  const { timer_id } = await done('/device_timing/add_device_timing', {
    ...{ line_id: first.id, type: 'weekly', w1: true, time: '08:00', action: 'open' },
  });
  await insert(db, 'timer_runs', {
    ...{ ...switched, timer_id, due_at: now, action: 'open', author_id: user.id, outcome: 'skipped' },
  });
  await insert(db, 'setting_changes', {
    device_id: device.id,
    revision: 1,
    at: now,
    operator: mark,
    changes: '[]',
  });
  const { tag_id } = await done('/lockout_tag/add_tag', {
    line_id: second.id,
    reason: mark,
    photo_id: image,
  });
  const project_ids = [project.id];
  const { id: notice } = await done('/device_warning/add_warning_timing', {
    ...{
      name: mark,
      channel: 'webhook',
      webhook_url: `https://${mark.toLowerCase()}.example.org/x`,
      project_ids,
    },
  });
  await insert(db, 'deliveries', {
    ...{ line_id: first.id, alarm_id: alarm, notice_id: notice, kind: 'raised', channel: 'webhook' },
    ...{ recipient: mark, target: mark, device_id: device.id, code: 101, severity: 1, state: 'sent' },
    ...{ created_at: now, due_at: now },
  });
  const { person_id } = await done('/person/add', {
    ...{ name: '张小明', mobile: `1370000000${n}`, position: mark, project_ids },
  });
  const { record_id } = await done('/maintenance/add_record', {
    ...{ project_id: project.id, device_id: device.id, maintenance_time: now.toISOString(), content: mark },
    ...{ handler_name: '张小明', handler_phone: '13800000000', before_images: [image], line_ids: [first.id] },
    alarm_ids: [alarm],
  });
  const { role_id } = await done('/role/add', {
    ...{ name: `${mark} role`, description: mark, parent_id: user.role_id, letters: ['A', 'D'] },
    own_password: testPassword,
  });
  const { user_id } = await done('/user/add', {
    ...{ username: `${mark}worker`, nickname: '李小红', email: `${mark}@example.org`, password: 'abc123' },
    ...{ mobile: `1360000000${n}`, role_id, project_id: project.id },
  });
  const { id: feedback } = await done('/feedback/add', { type: 'problem', content: mark, contact: mark });
  const prices = { sharp: null, peak: null, flat: n, valley: null };
  const periods = [{ from: '00:00', to: '24:00', band: 'flat' }];
  const days = [{ weekdays: [1, 2, 3, 4, 5, 6, 7], holidays: true, periods }];
  const seasons = [{ name: mark, from: '01-01', to: '12-31', prices, days }];
  await done('/statistics/save_tariff', {
    ...{ project_id: project.id, valid_from: '2027-01-01' },
    content: { currency: 'CNY', co2_kg_per_kwh: n, holidays: [], seasons },
  });
  const tariff = await world.db
    .selectFrom('tariffs')
    .select('id')
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const correction = await insert(db, 'energy_corrections', {
    ...{ ...by, line_id: first.id, project_id: project.id, reason: mark, before_kwh: 1, after_kwh: 2 },
    ...{ from_at: new Date(at - 120 * minuteMs), to_at: new Date(at - 60 * minuteMs) },
  });
  const message = await insert(db, 'messages', {
    ...{
      user_id: user.id,
      type: 'system',
      key: 'feedback.new',
      data: JSON.stringify({ who: mark, text: mark }),
    },
    ...{ project_id: project.id, at: now },
  });
  await insert(db, 'line_trips', {
    ...{ line_id: second.id, device_id: device.id, code: 301, grave: true, at: now, received_at: now },
  });
  const idOf = (path: string): number | string => {
    if (path === '/upload/get') return image;
    if (path.endsWith('correction')) return correction;
    if (path.endsWith('tariff')) return tariff.id;
    if (/warning_timing|waring_timing|\/(export_)?deliveries/.test(path)) return notice!;
    const [, feature] = path.split('/');
    return { system_message: message, feedback, user: user_id, person: person_id }[feature!] ?? alarm;
  };
  return {
    keeper,
    projectId: project.id,
    partId: part.id,
    idsFor: (path) => ({
      ...{ project_id: project.id, project_ids, part_id: part.id, device_id: device.id },
      ...{ device_ids: [device.id, inPart.id], line_id: first.id, line_ids: [first.id], alarm_ids: [alarm] },
      ...{ command_id: command, batch_id: batch, job_id: job, timer_id, timer_ids: [timer_id], tag_id },
      ...{ record_id, person_id, role_id, user_id, user_ids: [user_id], image_id: image, photo_id: image },
      ...{ id: idOf(path), ids: [idOf(path)] },
    }),
  };
};
