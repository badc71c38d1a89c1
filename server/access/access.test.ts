import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessAct, accessActNames } from '#contract/access.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

let world: World;
let admin: Client;
let projects: { id: number }[];
let part: { id: number };
let devices: Awaited<ReturnType<typeof makeDevice>>[];

beforeAll(async () => {
  world = await createWorld(bindAll);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  projects = [await makeProject(world.db), await makeProject(world.db, { region_id: 310000 })];
  part = await makePart(world.db, projects[0]!.id);
  devices = [
    await makeDevice(world.db, { project_id: projects[0]!.id, type: 3, online: true }),
    await makeDevice(world.db, { project_id: projects[0]!.id, part_id: part.id, type: 3, online: true }),
    await makeDevice(world.db, { project_id: projects[1]!.id, type: 3, online: true }),
    await makeDevice(world.db, { type: 3 }),
  ];
});
afterAll(() => world.close());

/** Acts that can be done only once: each gets its own device and alarm in the same project. */
const using: readonly AccessAct[] = ['handle', 'unbind', 'delete'];
/** The call of each act on a device, made so that only permissions, scope and interlocks can refuse it. */
const callOf = async (
  act: AccessAct,
  device: (typeof devices)[number],
  serial: number,
): Promise<[path: string, body: object]> => {
  const [device_id, line_id] = [device.id, device.lines[0]!.id];
  const time = `${String(serial % 24).padStart(2, '0')}:${String(Math.floor(serial / 24) % 60).padStart(2, '0')}`;
  const alarm = act === 'handle' ? await makeAlarm(world.pool, device, { at: world.clock.now() }) : null;
  const calls: Record<AccessAct, [string, object]> = {
    see: ['/device/get_device_detail', { device_id }],
    close: ['/device_do/device_do', { device_id, line_id, action: 'close' }],
    open: ['/device_do/device_do', { device_id, line_id, action: 'open' }],
    control: ['/device_do/device_do', { device_id, action: 'identify' }],
    edit: ['/device/edit_contact', { device_id, revision: 1, contacts: [] }],
    configure: ['/device/device_set', { device_id, settings: [{ key: 'il_w', n: 1, value: 20 }] }],
    tag: ['/lockout_tag/add_tag', { line_id, reason: `Work ${serial}` }],
    rename: ['/device/change_device_line', { line_id, old_name: 'none', name: `Line ${serial}` }],
    timer: ['/device_timing/add_device_timing', { line_id, type: 'weekly', w1: true, time, action: 'open' }],
    handle: ['/device_warning/handle', { id: alarm, content: 'Seen' }],
    unbind: ['/Device/remove_device', { device_ids: [device_id] }],
    delete: ['/device/del_device', { device_ids: [device_id] }],
  };
  return calls[act];
};
let serial = 0;

describe('the explainer', () => {
  it('the explainer agrees with the answer of the call itself, for any role, letter, scope and device', async () => {
    const user = await makeUser(world.db, { role: 1 });
    const client = await world.as(user.id);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, 3, 32, 101, 102),
        fc.subarray(['A', 'B', 'C', 'D', 'I']),
        fc.constantFrom(null, 440000, 310000),
        fc.constantFrom(null, 0, 1),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(0, 1, 2, 3),
        fc.constantFrom(...accessActNames),
        async (role, letters, region_id, project, inPart, enabled, at, act) => {
          const holder = await makeUser(world.db, { role, letters: letters.join(''), enabled: false });
          await world.db.deleteFrom('user_projects').where('user_id', '=', user.id).execute();
          await world.db
            .updateTable('users')
            .set({ role_id: holder.role_id, region_id, enabled })
            .where('id', '=', user.id)
            .execute();
          if (project !== null)
            await world.db
              .insertInto('user_projects')
              .values({
                user_id: user.id,
                project_id: projects[project]!.id,
                part_ids: inPart && project === 0 ? [part.id] : [],
              })
              .execute();
          const place = devices[at]!;
          const device = using.includes(act)
            ? await makeDevice(world.db, { project_id: place.project_id, part_id: place.part_id, type: 3 })
            : place;
          const line_id = device.lines[0]!.id;
          serial += 1;
          const explained = await admin.call('/user/explain_access', {
            user_id: user.id,
            device_id: device.id,
            line_id,
            act,
          });
          expect(explained.status).toBe(200);
          const who = await admin.call('/user/who_may', { device_id: device.id, act });
          const [path, body] = await callOf(act, device, serial);
          const { status, data } = await client.call(path, body);
          const isDenied = status === 403 || status === 404 || data?.results?.[0]?.result === 'denied';
          const { allowed, account, permission, scope, line } = explained.data;
          expect(who.data.list.some((each: { user_id: number }) => each.user_id === user.id)).toBe(
            account.ok && permission.ok && scope.ok,
          );
          if (!account.ok) expect(status).toBe(401);
          else if (!scope.ok || !permission.ok) expect(isDenied).toBe(true);
          else if (line && !line.allowed) expect([403, 409]).toContain(status);
          else expect([isDenied, [200, 409, 422].includes(status)]).toEqual([false, true]);
          expect(allowed).toBe(account.ok && permission.ok && scope.ok && line?.allowed !== false);
        },
      ),
      { numRuns: 180 },
    );
  });

  it('names the role, letter and project that decide', async () => {
    const user = await makeUser(world.db, {
      role: 150,
      letters: 'ABD',
      projects: [{ id: projects[0]!.id, parts: [part.id] }],
    });
    const ask = async (device: (typeof devices)[number], act: string) =>
      (await admin.call('/user/explain_access', { user_id: user.id, device_id: device.id, act })).data;
    expect(await ask(devices[1]!, 'close')).toMatchObject({
      allowed: true,
      permission: {
        ok: true,
        role_name: 'Role 150',
        needs: [{ permission: 'line.switch', ok: true, by: ['B'], letters: ['B'] }],
      },
      scope: { ok: true, reach: 'part' },
    });
    expect(await ask(devices[0]!, 'close')).toMatchObject({
      allowed: false,
      scope: { ok: false, reach: 'none' },
    });
    expect(await ask(devices[1]!, 'configure')).toMatchObject({
      allowed: false,
      permission: { ok: false, needs: [{ ok: false, by: [], letters: ['C'] }] },
    });
    expect(await ask(devices[1]!, 'timer')).toMatchObject({
      allowed: false,
      permission: {
        ok: false,
        needs: [
          { permission: 'timer.write', ok: false, by: [], letters: ['C'] },
          { permission: 'line.switch', ok: true, by: ['B'], letters: ['B'] },
        ],
      },
    });
  });

  it('shows what blocks the line itself, for every caller', async () => {
    const [device] = devices;
    const { data } = await admin.call('/user/who_may', {
      device_id: device!.id,
      line_id: device!.lines[0]!.id,
      act: 'close',
    });
    expect(data.line).toMatchObject({ allowed: false, message: expect.any(String) });
  });

  it('shows a tenant no people or devices of another tenant', async () => {
    const mine = await world.as(
      (await makeUser(world.db, { role: 160, letters: 'BI', projects: [projects[0]!] })).id,
    );
    const foreign = await makeUser(world.db, { role: 3, projects: [projects[1]!] });
    const ask = (body: object) => mine.call('/user/explain_access', { act: 'close', ...body });
    expect((await ask({ user_id: foreign.id, device_id: devices[0]!.id })).status).toBe(404);
    expect((await ask({ user_id: mine.userId, device_id: devices[2]!.id })).status).toBe(404);
    expect((await mine.call('/user/who_may', { device_id: devices[2]!.id, act: 'see' })).status).toBe(404);
    const { data } = await mine.call('/user/who_may', { device_id: devices[0]!.id, act: 'close' });
    expect(data.list.map((each: { user_id: number }) => each.user_id)).toEqual([mine.userId]);
    expect(data.others).toBeGreaterThan(0);
  });
});
