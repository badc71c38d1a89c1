import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenTo, type StreamEvent } from '#test/event-stream.ts';
import { makeDevices, makeProject, makeUser } from '#test/factories.ts';
import { createSettingsWorld, type SettingsWorld } from '#test/settings-world.ts';
import { becomes, eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';

let world: SettingsWorld;
let admin: Client;
const english = { 'accept-language': 'en' };
beforeAll(async () => {
  world = await createSettingsWorld();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

const site = async () => (await makeProject(world.db)).id;
const keeperOf = async (project: number) => {
  const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
  return { user, client: await world.as(user.id) };
};
const jobOf = async (id: string, client = admin) =>
  (await client.call('/device_job/get_job', { job_id: id }, english)).data;
const ended = (id: string, client = admin) =>
  eventually(async () => {
    const job = await jobOf(id, client);
    return job.done && job;
  });
const boundTo = async (project: number) =>
  (await admin.call('/Device/get_device_list', { project_id: project })).data.total;
const logOf = async (key: string) =>
  (
    await world.db
      .selectFrom('operation_log')
      .select(['parameters', 'outcome'])
      .where('key', '=', key)
      .execute()
  ).map((row) => row);

describe('an act over all devices that match', () => {
  it('an act over all devices that match is refused when the list differs from the confirmed one, and nothing is done', async () => {
    const project = await site();
    await makeDevices(world.db, 5, project);
    const filter = { project_id: project };
    const unbind = (body: object) => admin.call('/Device/remove_device', body, english);
    expect(await unbind({ filter, expected: 4 })).toMatchObject({
      status: 409,
      msg: 'The list has changed: 5 devices match now, 4 when you confirmed. Please confirm again',
      data: { count: 5 },
    });
    for (const [path, more] of [
      ['/Device/remove_device', {}],
      ['/device/del_device', {}],
      ['/device/change_expiry', { expires_on: null }],
      ['/Project/bind_device', { project_id: project }],
      ['/device/device_set', { settings: [{ key: 'il_w', value: 25 }] }],
    ] as const)
      expect(await admin.call(path, { ...more, filter }, english), path).toMatchObject({
        status: 422,
        data: { expected: 'State how many devices the filter is expected to find' },
      });
    expect(await boundTo(project)).toBe(5);
    for (const body of [{}, { device_ids: [] }, { device_ids: [1], filter }])
      expect(await unbind(body)).toMatchObject({ status: 422, data: { device_ids: 'Choose a device' } });
    const done = await unbind({ filter, expected: 5 });
    expect(done.data).toMatchObject({ job_id: null, total: 5 });
    expect(done.data.results.every((row: { result: string }) => row.result === 'done')).toBe(true);
    expect(await boundTo(project)).toBe(0);
  });

  it('an action on more than 200 devices is a job, followed to its end, with one entry in the operation log', async () => {
    const [from, to] = [await site(), await site()];
    await makeDevices(world.db, 450, from);
    const bound = await admin.call('/Project/bind_device', {
      project_id: to,
      filter: { project_id: from },
      expected: 450,
    });
    expect(bound.data).toMatchObject({ results: [], total: 450 });
    expect(await ended(bound.data.job_id)).toMatchObject({
      kind: 'bind',
      total: 450,
      succeeded: 450,
      counts: { done: 450 },
      cancelled: null,
      may_cancel: false,
      unfinished: [],
    });
    expect([await boundTo(from), await boundTo(to)]).toEqual([0, 450]);
    const lines = (await logOf('device.bind')).filter(
      (row) => row.parameters['job_id'] === bound.data.job_id,
    );
    expect(lines).toMatchObject([
      { outcome: 'done', parameters: { total: 450, expected: 450, filter: { project_id: from } } },
    ]);
    const expiry = await admin.call('/device/change_expiry', {
      filter: { project_id: to },
      expected: 450,
      expires_on: '2028-01-01',
    });
    await ended(expiry.data.job_id);
    const gone = await admin.call('/device/del_device', { filter: { project_id: to }, expected: 450 });
    expect(await ended(gone.data.job_id)).toMatchObject({ succeeded: 450 });
    expect(await boundTo(to)).toBe(0);
    const { rows } = await world.pool.query(
      "select count(*) as n from devices where expires_on = '2028-01-01' and deleted_at is not null",
    );
    expect(rows).toEqual([{ n: 450 }]);
  });

  it('a job acts only on devices that its author may still act on at each step', async () => {
    const [own, foreign] = [await site(), await site()];
    const { client, user } = await keeperOf(own);
    await makeDevices(world.db, 250, own);
    const strangers = await makeDevices(world.db, 3, foreign);
    expect(
      (
        await client.call('/device/change_expiry', {
          filter: { project_id: foreign },
          expected: 0,
          expires_on: '2027-01-01',
        })
      ).data,
    ).toMatchObject({ total: 0, results: [] });
    expect(
      (await client.call('/device/change_expiry', { device_ids: strangers, expires_on: '2027-01-01' })).data
        .results,
    ).toMatchObject(strangers.map((id) => ({ id, result: 'denied' })));

    await world.jobs().stop();
    const started = await client.call('/device/change_expiry', {
      filter: { project_id: own },
      expected: 250,
      expires_on: '2027-01-01',
    });
    await world.db
      .updateTable('user_projects')
      .set({ project_id: foreign })
      .where('user_id', '=', user.id)
      .execute();
    world.jobs().start();
    expect(await ended(started.data.job_id)).toMatchObject({ succeeded: 0, counts: { denied: 250 } });

    await world.jobs().stop();
    await makeDevices(world.db, 250, foreign);
    const second = await client.call('/device/change_expiry', {
      filter: { project_id: foreign },
      expected: 253,
      expires_on: '2027-01-01',
    });
    await world.db.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
    world.jobs().start();
    expect(await ended(second.data.job_id)).toMatchObject({
      counts: { denied: 253 },
      unfinished: expect.arrayContaining([
        expect.objectContaining({ reason: 'permission.denied', state: 'denied' }),
      ]),
    });
  });

  it('a job weakens no protection in the project to which a device moved before its turn, and replaces nothing there', async () => {
    const [from, to] = [await site(), await site()];
    await makeDevices(world.db, 250, from);
    const rows = await world.db.selectFrom('devices').select('id').where('project_id', '=', from).execute();
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
    await world.jobs().stop();
    const settings = [{ key: 'tele_s', value: 600 }];
    const { data } = await admin.call('/device/device_set', { device_ids: ids, settings });
    const [moved] = ids;
    await admin.call('/Project/bind_device', { project_id: to, device_ids: [moved] });
    const wish = { device_id: moved, settings: [{ key: 'tele_s', value: 30 }] };
    expect(await admin.call('/device/device_set', wish)).toMatchObject({ status: 200 });
    world.jobs().start();
    await becomes(async () => (await jobOf(data.job_id)).counts, { waiting: 249, skipped: 1 });
    expect((await jobOf(data.job_id)).unfinished[0]).toMatchObject({
      ...{ device_id: moved, state: 'skipped', reason: 'control.moved' },
      message: 'The device has moved to another project since this was asked for: not carried out',
    });
    const shown = await admin.call('/device/selectSetting', { device_id: moved });
    const row = shown.data.device.find(({ key }: { key: string }) => key === 'tele_s');
    expect(row).toMatchObject({ state: 'pending', desired: 30 });
  });

  it('a job gives the reason for each device that it left out', async () => {
    const project = await site();
    await makeDevices(world.db, 210, project);
    const [first] = await makeDevices(world.db, 10, null);
    const ids = Array.from({ length: 10 }, (_, index) => first! + index);
    const bound = await world.db
      .selectFrom('devices')
      .select('id')
      .where('project_id', '=', project)
      .execute();
    const { data } = await admin.call('/Device/remove_device', {
      device_ids: [...bound.map((row) => row.id), ...ids, 999_999],
    });
    const job = await ended(data.job_id);
    expect(job).toMatchObject({ total: 221, counts: { done: 210, skipped: 10, denied: 1 } });
    expect(job.unfinished[0]).toMatchObject({
      device_id: first,
      state: 'skipped',
      message: 'The device is not bound to a project',
    });
  });
});

describe('a job', () => {
  it('a job is cancelled by its author or role 1; finished devices stay done and are reported', async () => {
    const project = await site();
    const { client } = await keeperOf(project);
    const { client: neighbour } = await keeperOf(project);
    const devices = await makeDevices(world.db, 1000, project);
    await world.jobs().stop();
    const { data } = await client.call('/device/change_expiry', {
      filter: { project_id: project },
      expected: 1000,
      expires_on: '2029-01-01',
    });
    const id = data.job_id as string;
    expect((await client.call('/device_job/get_list', { running: true })).data).toMatchObject({
      total: 1,
      list: [{ job_id: id, counts: { queued: 1000 }, may_cancel: true }],
    });
    // The job stops in its third step of 200 devices, which it still finishes.
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query('select from devices where id = $1 for update', [devices[450]]);
    world.jobs().start();
    await becomes(async () => (await jobOf(id)).succeeded, 400);
    const stopped = world.jobs().stop();
    await holder.query('rollback');
    holder.release();
    await stopped;
    const before = await jobOf(id);
    expect(before).toMatchObject({ done: false, succeeded: 600 });
    for (const stranger of [neighbour, await world.as((await makeUser(world.db, { role: 102 })).id)])
      expect(await stranger.call('/device_job/cancel', { job_id: id })).toMatchObject({ status: 404 });
    expect((await neighbour.call('/device_job/get_job', { job_id: id })).status).toBe(404);

    const cancelled = await client.call('/device_job/cancel', { job_id: id });
    expect(cancelled.data).toMatchObject({
      succeeded: before.succeeded,
      done: true,
      may_cancel: false,
      counts: { done: before.succeeded, cancelled: 1000 - before.succeeded },
      cancelled: { operator: expect.stringMatching(/^user/) },
    });
    world.jobs().start();
    expect(await client.call('/device_job/cancel', { job_id: id }, english)).toMatchObject({
      status: 409,
      msg: 'This job is over; there is nothing left to cancel',
    });
    const { rows } = await world.pool.query(
      "select count(*) as n from devices where expires_on = '2029-01-01'",
    );
    expect(rows).toEqual([{ n: before.succeeded }]);
    expect(await logOf('device.cancelJob')).toContainEqual(
      expect.objectContaining({
        outcome: 'done',
        parameters: expect.objectContaining({ job_id: id, succeeded: before.succeeded }),
      }),
    );
  });

  it('cancelling a settings job withdraws values that were not sent, and waits for those that were', async () => {
    const project = await site();
    const devices = await Promise.all(Array.from({ length: 4 }, () => world.device(project)));
    for (const device of devices) await device.connect();
    await eventually(async () => {
      const { rows } = await world.pool.query('select from device_settings where device_id = any($1)', [
        devices.map(({ id }) => id),
      ]);
      const { rows: reportRows } = await world.pool.query(
        'select from device_reported where device_id = any($1)',
        [devices.map(({ id }) => id)],
      );
      return rows.length === 4 && reportRows.length === 4;
    });
    const [answers, deaf, ...away] = devices as [(typeof devices)[0], (typeof devices)[0], ...typeof devices];
    deaf.deaf = true;
    for (const device of away) await device.disconnect();
    const { data } = await admin.call('/device/device_set', {
      filter: { project_id: project },
      expected: 4,
      settings: [{ key: 'il_w', value: 25 }],
    });
    await eventually(async () => deaf.received.length === 1);
    await becomes(async () => (await jobOf(data.job_id)).counts.applied, 1);
    const owner = await keeperOf(project);
    expect((await owner.client.call('/device_job/cancel', { job_id: data.job_id })).status).toBe(404);
    const cancelled = await admin.call('/device_job/cancel', { job_id: data.job_id });
    expect(cancelled.data).toMatchObject({
      succeeded: 1,
      done: false,
      may_cancel: false,
      counts: { applied: 1, waiting: 1, cancelled: 2 },
    });
    for (const device of away) {
      await device.connect();
      const shown = (await admin.call('/device/selectSetting', { device_id: device.id })).data;
      const row = shown.lines[0].settings.find(({ key }: { key: string }) => key === 'il_w');
      expect(row).toMatchObject({ desired: null, state: 'none', reported: 15 });
      expect(shown.revision).toBeGreaterThan(1);
    }
    deaf.deaf = false;
    deaf.simulated.receive('cfg/set', JSON.stringify(deaf.received[0]));
    expect(await ended(data.job_id)).toMatchObject({ counts: { applied: 2, cancelled: 2 } });
    for (const device of away) expect(device.received).toEqual([]);
    expect(answers.received).toHaveLength(1);
    const changes = await world.db
      .selectFrom('setting_changes')
      .select('changes')
      .where('device_id', '=', away[0]!.id)
      .orderBy('revision', 'desc')
      .executeTakeFirstOrThrow();
    expect(changes.changes[0]).toMatchObject({ key: 'il_w', before: 25, after: 15 });
  });

  it('a cancelled job sends nothing again to a device that never answered', async () => {
    const project = await site();
    const device = await world.device(project);
    await device.connect();
    await eventually(async () => {
      const { rows } = await world.pool.query('select from device_reported where device_id = $1', [
        device.id,
      ]);
      return rows.length === 1;
    });
    device.deaf = true;
    const { data } = await admin.call('/device/device_set', {
      device_ids: [device.id],
      settings: [{ key: 'il_w', value: 25 }],
    });
    await eventually(async () => device.received.length === 1);
    const cancelled = await admin.call('/device_job/cancel', { job_id: data.job_id });
    expect(cancelled.data).toMatchObject({ done: false, counts: { waiting: 1 } });
    device.deaf = false;
    const over = await eventually(async () => {
      world.clock.advance(2000);
      const job = await jobOf(data.job_id);
      return job.done && job;
    });
    expect(over.counts).toEqual({ cancelled: 1 });
    expect(device.received).toHaveLength(1);
    const shown = (await admin.call('/device/selectSetting', { device_id: device.id })).data;
    const row = shown.lines[0].settings.find(({ key }: { key: string }) => key === 'il_w');
    expect(row).toMatchObject({ desired: null, state: 'none', reported: 15 });
  });

  it('a job reports its progress to its author and to no other user', async () => {
    const project = await site();
    const { client } = await keeperOf(project);
    const url = `${await world.app.listen({ port: 0, host: '127.0.0.1' })}/live`;
    const [mine, others] = [await listenTo(url, client.token), await listenTo(url, admin.token)];
    await makeDevices(world.db, 300, project);
    const { data } = await client.call('/device/change_expiry', {
      filter: { project_id: project },
      expected: 300,
      expires_on: null,
    });
    await ended(data.job_id);
    world.clock.advance(1000);
    const ofThis = ({ name, data: about }: StreamEvent) => name === 'job' && about.job_id === data.job_id;
    const reportRows = await mine.hears(ofThis);
    expect(reportRows.data).toEqual({ job_id: data.job_id, total: 300, succeeded: 300, done: true });
    expect(others.events.filter(ofThis)).toEqual([]);
    mine.close();
    others.close();
  });

  it('a job with one replaced desired value continues with the others, and reports the replacement at the end', async () => {
    const project = await site();
    const [first, second] = [await world.device(project), await world.device(project)];
    const settings = [
      { key: 'il_w', value: 25 },
      { key: 'il_a', value: 60 },
    ];
    const { data } = await admin.call('/device/device_set', {
      device_ids: [first.id, second.id],
      settings,
    });
    for (const { id } of [first, second])
      await admin.call('/device/device_set', {
        device_id: id,
        settings: [{ key: 'il_w', n: 1, value: 20 }],
      });
    expect(await jobOf(data.job_id)).toMatchObject({ done: false, may_cancel: true, counts: { waiting: 2 } });
    await first.connect();
    const waiting = await eventually(async () => {
      const job = await jobOf(data.job_id);
      return job.counts.superseded === 1 && job;
    });
    expect(waiting.counts).toEqual({ superseded: 1, waiting: 1 });
    const cancelled = await admin.call('/device_job/cancel', { job_id: data.job_id });
    expect(cancelled.data).toMatchObject({ done: true, counts: { superseded: 1, cancelled: 1 } });
    const { lines } = (await admin.call('/device/selectSetting', { device_id: second.id })).data;
    const wished = (key: string) => lines[0].settings.find((row: { key: string }) => row.key === key).desired;
    expect([wished('il_w'), wished('il_a')]).toEqual([20, null]);
  });

  it('a job reports at once that its desired values were replaced by later ones', async () => {
    const project = await site();
    const devices = await Promise.all(Array.from({ length: 3 }, () => world.device(project, 3, 1)));
    const [first, second, third] = devices.map(({ id }) => id) as [number, number, number];
    const wish = async (value: number, device_ids: number[]) => {
      const { data } = await admin.call('/device/device_set', {
        device_ids,
        settings: [{ key: 'il_w', value }],
      });
      return data.job_id as string;
    };
    const early = await wish(20, [first, second, third]);
    const reportRows = () => world.heard('job.changed').filter(({ jobId }) => jobId === early).length;
    const before = reportRows();
    await wish(25, [first]);
    expect([reportRows() - before, (await jobOf(early)).counts]).toEqual([1, { superseded: 1, waiting: 2 }]);
    await admin.call('/device/device_set', {
      device_id: second,
      settings: [{ key: 'il_w', n: 1, value: 25 }],
    });
    expect([reportRows() - before, (await jobOf(early)).counts]).toEqual([2, { superseded: 2, waiting: 1 }]);
    await makeDevices(world.db, 200, project);
    const late = await admin.call('/device/device_set', {
      filter: { project_id: project },
      expected: 203,
      settings: [{ key: 'il_w', value: 30 }],
    });
    await becomes(async () => (await jobOf(late.data.job_id)).counts.queued, undefined);
    await world.hears('job.changed', () => reportRows() - before === 3);
    expect((await jobOf(early)).counts).toEqual({ superseded: 3 });
  });

  it('a job ends when its last waiting device is deleted', async () => {
    const project = await site();
    const device = await world.device(project);
    const { data } = await admin.call('/device/device_set', {
      device_ids: [device.id],
      settings: [{ key: 'il_w', value: 25 }],
    });
    expect(await jobOf(data.job_id)).toMatchObject({ done: false, counts: { waiting: 1 } });
    await admin.call('/device/del_device', { device_ids: [device.id] });
    expect(await jobOf(data.job_id)).toMatchObject({ done: true, counts: { denied: 1 } });
  });
});
