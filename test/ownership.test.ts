import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { makeDays } from '#database/partitions.ts';
import { liveListen } from '#server/live/listen.ts';
import { makeAlarm } from './alarm-factory.ts';
import { bindAll } from './all-features.ts';
import { listenTo } from './event-stream.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { type Client, createWorld, type World } from './world.ts';

/** Contained in every text and number of an owner, so that no answer to the other owner may contain it. */
const marks = {
  former: { text: 'FORMER0MARK', number: 777_777 },
  present: { text: 'PRESENT0MARK', number: 888_888 },
} as const;
type Owner = keyof typeof marks;
/** The number by itself, not as part of a longer one. */
const asNumber = (number: number): RegExp => new RegExp(`(?<!\\d)${number}(?!\\d)`);
const hourMs = 3_600_000;

let world: World;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;
let url: string;
let stopListening: () => void;
const users = {} as Record<Owner, { id: number; client: Client; projectId: number }>;
const known = {} as Record<Owner, Record<string, unknown>>;
const called = endpoints.filter((endpoint) => !endpoint.stream || endpoint.method === 'POST');
const reading = called.filter((endpoint) => endpoint.log === undefined && endpoint.permission !== 'public');

/** What happens with a device while one owner has it: a row in every table that stores it. */
const liveWith = async (owner: Owner): Promise<void> => {
  const { text, number } = marks[owner];
  const { id: userId, projectId } = users[owner];
  const { db } = world;
  const line = device.lines[0]!;
  const now = new Date(world.clock.now());
  const digit = owner === 'former' ? '1' : '2';
  const command = `00000000-0000-4000-8000-00000000000${digit}`;
  const batch = `00000000-0000-4000-9000-00000000000${digit}`;
  await db
    .updateTable('devices')
    .set({ address: text, contacts: JSON.stringify([{ name: text, phone: '13800000000' }]) })
    .where('id', '=', device.id)
    .execute();
  await db
    .insertInto('commands')
    .values({
      id: command,
      device_id: device.id,
      line_id: line.id,
      number: Number(digit),
      verb: 'open',
      state: 'verified',
      reason: null,
      cause: 'button',
      batch_id: batch,
      user_id: userId,
      operator: text,
      address: text,
      created_at: now,
      expires_at: now,
      sent_at: now,
      acknowledged_at: now,
      ended_at: now,
      deadline_at: now,
    })
    .execute();
  await db
    .insertInto('batches')
    .values({
      id: batch,
      action: 'open',
      state: 'done',
      cause: 'one_key',
      user_id: userId,
      operator: text,
      address: text,
      channel: 'web',
      request_id: text,
      pace_ms: 0,
      created_at: now,
      beat_at: now,
      ended_at: now,
    })
    .execute();
  await db
    .insertInto('batch_lines')
    .values({
      batch_id: batch,
      position: 0,
      device_id: device.id,
      line_id: line.id,
      state: 'requested',
      reason: text,
      reason_with: '{}',
      command_id: command,
      at: now,
    })
    .execute();
  const timer = await db
    .insertInto('timers')
    .values({
      device_id: device.id,
      line_id: line.id,
      type: 'weekly',
      days: 127,
      date: null,
      time: `0${digit}:00`,
      action: 'open',
      enabled: true,
      run_by: 'server',
      slot: null,
      done_at: null,
      zone: 'Asia/Shanghai',
      next_at: null,
      author_id: userId,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('timer_runs')
    .values({
      timer_id: timer.id,
      due_at: now,
      device_id: device.id,
      line_id: line.id,
      action: 'open',
      author_id: userId,
      outcome: 'skipped',
      reason: text,
      reason_with: '{}',
      command_id: command,
      at: now,
    })
    .execute();
  await db
    .insertInto('setting_changes')
    .values({ device_id: device.id, revision: 10 + Number(digit), at: now, operator: text, changes: '[]' })
    .execute();
  await db
    .insertInto('lockout_tags')
    .values({
      device_id: device.id,
      reason: text,
      owner_id: userId,
      set_at: now,
      removed_at: now,
      removed_by: userId,
      removal_reason: text,
    })
    .execute();
  await db
    .insertInto('readings')
    .values({
      at: now,
      energy: number,
      line_id: line.id,
      boot: 1,
      seq: Number(digit),
      rx_ms: 0,
      channels: [number],
    })
    .execute();
  await db
    .insertInto('alarm_events')
    .values({
      line_id: line.id,
      at: now,
      code: 101,
      phase: 0,
      level: 2,
      kind: 'raised',
      value: number,
      threshold: 264,
      event_id: text,
    })
    .execute();
  await db
    .insertInto('alarms')
    .values({
      line_id: line.id,
      id: Number(digit),
      device_id: device.id,
      project_id: projectId,
      part_id: null,
      code: 101,
      level: 2,
      severity: 2,
      source: 'server',
      event_id: null,
      work_order: `W${text}`,
      raised_at: now,
      received_at: now,
      last_at: now,
      cleared_at: now,
      suppressed_by: null,
      value: number,
      peak: number,
      threshold: 264,
      value_type: 1,
      snapshot: null,
      original: null,
      handled_at: now,
      handled_by: userId,
      handled_channel: 'web',
      handling_content: text,
      urged_at: null,
    })
    .execute();
  await db
    .insertInto('rollup_day')
    .values({
      line_id: line.id,
      bucket: new Date(now.getTime()),
      samples: 1,
      covered_s: 60,
      energy_kwh: number,
      energy_flags: 0,
      estimated_kwh: 0,
      corrected_kwh: 0,
      resets: 0,
      power_min: number,
      power_avg: number,
      power_max: number,
      current_max: number,
      voltage_min: null,
      voltage_max: null,
      leakage_max: null,
      temperature_max: null,
    })
    .execute();
  await db
    .insertInto('line_latest')
    .values({
      line_id: line.id,
      at: now,
      received_at: now,
      boot: 1,
      seq: Number(digit),
      channels: [number],
    })
    .onConflict((conflict) =>
      conflict
        .column('line_id')
        .doUpdateSet({ at: now, received_at: now, seq: Number(digit), channels: [number] }),
    )
    .execute();
  known[owner] = {
    project_id: projectId,
    device_id: device.id,
    device_ids: [device.id],
    line_id: line.id,
    command_id: command,
    batch_id: batch,
    timer_id: timer.id,
    id: Number(digit),
    from: new Date(world.clock.now() - 6 * hourMs).toISOString(),
    to: new Date(world.clock.now() + 6 * hourMs).toISOString(),
    limit: 200,
  };
};

beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    bindAll(serve, parts);
    stopListening = liveListen(parts);
  });
  url = await world.app.listen({ port: 0, host: '127.0.0.1' });
  await makeDays(world.pool, 'readings', [Math.floor(world.clock.now() / 86_400_000)]);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  for (const owner of ['former', 'present'] as const) {
    const { text } = marks[owner];
    const project = await makeProject(world.db, { name: `${text} site` });
    const user = await makeUser(world.db, { role: 3, username: `${text}-user`, projects: [project] });
    users[owner] = { id: user.id, client: await world.as(user.id), projectId: project.id };
  }
  device = await makeDevice(world.db, { project_id: users.former.projectId, type: 3, online: true });
  await liveWith('former');
  world.clock.advance(hourMs);
  const moved = await admin.call(deviceEndpoints.bind.path, {
    device_ids: [device.id],
    project_id: users.present.projectId,
  });
  expect(moved.status).toBe(200);
  world.clock.advance(hourMs);
  await liveWith('present');
  world.clock.advance(1000);
});
afterAll(async () => {
  stopListening();
  await world.close();
});

const bodies = (endpoint: Endpoint, owner: Owner) => {
  const other = owner === 'former' ? 'present' : 'former';
  // With the ids of both owners: what a caller knows from earlier, or guesses.
  return [known[owner], { ...known[other], project_id: undefined }, { ...known[other] }].map((ids) =>
    sampleBody(
      endpoint.body,
      Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== undefined)),
    ),
  );
};
const ask = async (endpoint: Endpoint, body: Record<string, unknown>, client: Client): Promise<string> => {
  if (endpoint.method === 'POST') return (await client.call(endpoint.path, body)).response.body;
  const query = new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)]));
  const response = await world.app.inject({
    url: `${endpoint.path}?${query.toString()}`,
    headers: { authorization: client.token },
  });
  return response.body;
};

describe.each([
  ['former', 'present'],
  ['present', 'former'],
] as const)('the %s owner of a device', (owner, other) => {
  it.each(reading.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'reads no data of the other owner by %s',
    async (_name, endpoint) => {
      for (const body of bodies(endpoint, owner)) {
        const answer = await ask(endpoint, body, users[owner].client);
        expect(answer).not.toContain(marks[other].text);
        expect(answer).not.toMatch(asNumber(marks[other].number));
      }
    },
  );
});

it('an owner of both projects sees the whole past of a device', async () => {
  const both = await makeUser(world.db, {
    role: 3,
    projects: [{ id: users.former.projectId }, { id: users.present.projectId }] as never,
  });
  const client = await world.as(both.id);
  const { data } = await client.call('/device_log/get_list', { device_id: device.id });
  expect(data.list.map((row: { operator: string }) => row.operator)).toEqual([
    marks.present.text,
    marks.former.text,
  ]);
});

describe.each(['the list of devices', 'the form of the device'])('a device that is moved in %s', (place) => {
  it('leaves its past, its contacts and its events to its owner at the time', async () => {
    const { former, present } = users;
    const moving = await makeDevice(world.db, { project_id: former.projectId });
    const device_id = moving.id;
    const contacts = [{ name: 'Ann Smith', phone: '13800000000' }];
    const edited = await former.client.call('/device/edit_contact', { device_id, revision: 1, contacts });
    expect(edited.status).toBe(200);
    const { data: tag } = await former.client.call('/lockout_tag/add_tag', { device_id, reason: 'Repair' });
    const { tag_id } = tag;
    expect((await former.client.call('/lockout_tag/remove_tag', { tag_id })).status).toBe(200);
    const streams = {
      former: await listenTo(`${url}/live`, former.client.token),
      present: await listenTo(`${url}/live`, present.client.token),
    };
    const goes = (online: boolean) =>
      world.bus.emit('device.online', { deviceId: device_id, online, at: world.clock.now(), why: 'test' });
    const isOfDevice = ({ data }: { data: { device_id?: number } }) => data.device_id === device_id;
    goes(true);
    await streams.former.hears(isOfDevice);

    world.clock.advance(1000);
    const project_id = present.projectId;
    const move =
      place === 'the list of devices'
        ? admin.call(deviceEndpoints.bind.path, { device_ids: [device_id], project_id })
        : admin.call(deviceEndpoints.change.path, {
            ...{ device_id, project_id },
            revision: edited.data.revision,
          });
    expect((await move).status).toBe(200);
    const form = await present.client.call('/device/get_device_info_set', { device_id });
    expect(form.data).toMatchObject({ project_id, contacts: [] });
    const tags = await present.client.call('/lockout_tag/get_list', { device_id, standing: false });
    expect(tags.data.list).toEqual([]);
    const refused = await present.client.call('/device/edit_contact', { device_id, revision: 1, contacts });
    expect([refused.status, refused.response.body.includes(marks.former.text)]).toEqual([409, false]);
    goes(false);
    await streams.present.hears(isOfDevice);
    // Every stream has received what was sent before this event.
    world.live.send('settings', { device_id: -1 }, { projectId: null, partId: null, everyone: true });
    await streams.former.hears(({ data }) => data.device_id === -1);
    expect(streams.former.events.filter(isOfDevice)).toHaveLength(1);
    for (const stream of Object.values(streams)) stream.close();
  });
});

it('a user of a part sees nothing of a device from before it came to the part', async () => {
  const { former, present } = users;
  const part = await makePart(world.db, present.projectId);
  const place = { id: present.projectId, parts: [part.id] };
  const keeper = await world.as((await makeUser(world.db, { role: 32, projects: [place] })).id);
  const { id: device_id } = await makeDevice(world.db, { project_id: former.projectId });
  const moves: [project_id: number, part_id: number | undefined, client: Client][] = [
    [present.projectId, undefined, former.client],
    [present.projectId, part.id, present.client],
  ];
  for (const [project_id, part_id, owner] of moves) {
    const { data } = await owner.call('/lockout_tag/add_tag', { device_id, reason: 'Repair' });
    const { tag_id } = data;
    expect((await owner.call('/lockout_tag/remove_tag', { tag_id })).status).toBe(200);
    world.clock.advance(1000);
    const to = { device_ids: [device_id], project_id, part_id };
    expect((await admin.call(deviceEndpoints.bind.path, to)).data.results).toMatchObject([
      { result: 'done' },
    ]);
  }
  expect((await keeper.call('/device/get_device_detail', { device_id })).status).toBe(200);
  const seen = async (client: Client): Promise<number> =>
    (await client.call('/lockout_tag/get_list', { device_id, standing: false })).data.total;
  expect([await seen(admin), await seen(present.client), await seen(keeper)]).toEqual([2, 1, 0]);
});

it('the alarm of a device that left a part shows the part’s user neither its contacts nor its live state', async () => {
  const { projectId } = users.present;
  const [left, entered] = [await makePart(world.db, projectId), await makePart(world.db, projectId)];
  const keeperOf = async (part: { id: number }) => {
    const projects = [{ id: projectId, parts: [part.id] }];
    return world.as((await makeUser(world.db, { role: 32, projects })).id);
  };
  const [before, after] = [await keeperOf(left), await keeperOf(entered)];
  const moving = await makeDevice(world.db, { project_id: projectId, part_id: left.id });
  const device_id = moving.id;
  const now = new Date(world.clock.now());
  const id = await makeAlarm(world.pool, { ...moving, part_id: left.id }, { at: world.clock.now() });
  await world.db
    .insertInto('line_latest')
    .values({
      ...{ line_id: moving.lines[0]!.id, at: now, received_at: now, boot: 1, seq: 1, channels: [220] },
      position: 1,
    })
    .execute();
  const detail = async (client: Client) => {
    const { data } = await client.call('/device_warning/getDetatil', { id });
    const phones = data.contacts.map(({ phone }: { phone: string }) => phone);
    return { isLive: data.line_state !== null, phones };
  };
  const to = { device_ids: [device_id], project_id: projectId, part_id: entered.id };
  expect((await admin.call(deviceEndpoints.bind.path, to)).status).toBe(200);
  const contacts = [{ name: 'Ann Smith', phone: '13911112222' }];
  const edited = await after.call('/device/edit_contact', { device_id, revision: 2, contacts });
  expect(edited.status).toBe(200);
  expect(await detail(users.present.client)).toMatchObject({ isLive: true });
  const seen = await detail(before);
  expect(seen).toEqual({ isLive: false, phones: expect.not.arrayContaining(['13911112222']) });
});
