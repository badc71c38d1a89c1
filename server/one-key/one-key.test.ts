import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeProject, makeUser } from '#test/factories.ts';
import { answer, makeSwitch, observe, report, type Switch } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { becomes, eventually } from '#test/wait.ts';
import { type Client, testPassword } from '#test/world.ts';

let world: SwitchingWorld;
let project: number;
let anna: Client;
let device: Switch;
beforeAll(async () => {
  world = await createSwitchingWorld();
  project = (await makeProject(world.db)).id;
  anna = await world.as(
    (await makeUser(world.db, { role: 3, username: 'anna', projects: [{ id: project }] })).id,
  );
});
afterAll(() => world.close());
beforeEach(async () => {
  device = await makeSwitch(world, project, 4);
});

const oneKey = (body: object, by = anna) =>
  by.call('/device_line/onekey_opening', { device_id: device.id, ...body }, { 'accept-language': 'en-US' });
const batch = async (id: string, by = anna) =>
  (await by.call('/device_line/get_batch', { batch_id: id }, { 'accept-language': 'en-US' })).data;
const lineIs = (index: number, position: 0 | 1, amperes = 0) =>
  observe(world.db, device.lines[index]!.id, world.clock.now(), {
    position,
    values: { 'U.a': 230, 'I.a': amperes, 'P.t': amperes * 230 },
  });
const published = () => world.link.publishedTo(device);
const publishedTo = (count: number) => becomes(async () => published().length, count);
const proves = async (index: number, position: 0 | 1) => {
  const sent = published().find((one) => one.command.n === index + 1)!;
  await answer(world, device, sent.command.id, { st: 'done', seq: 10 + index });
  await eventually(
    async () =>
      (
        await world.db
          .selectFrom('commands')
          .select('ack')
          .where('id', '=', sent.command.id)
          .executeTakeFirst()
      )?.ack,
  );
  await report(world, device, device.lines[index]!, { position, seq: 50 + index });
};

describe('the preview', () => {
  test('shows which lines are closed, their load, and which are skipped and why; it writes nothing', async () => {
    await lineIs(0, 1, 3);
    await lineIs(1, 1, 2);
    await world.db
      .updateTable('lines')
      .set({ critical: true })
      .where('id', '=', device.lines[1]!.id)
      .execute();
    const { status, data } = await oneKey({ action: 'open', preview: true });
    expect(status).toBe(200);
    expect(data).toMatchObject({ batch_id: null, to_switch: 1, skipped: 3, current: 3, power: 690 });
    expect(
      data.lines.map((line: Record<string, unknown>) => [line['state'], line['will'], line['reason']]),
    ).toEqual([
      ['closed', 'switch', null],
      ['closed', 'skip', 'control.critical_line'],
      ['open', 'skip', 'batch.already'],
      ['open', 'skip', 'batch.already'],
    ]);
    const { count } = await world.db
      .selectFrom('batches')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(0);
  });

  const reports = (index: number, seen: Parameters<typeof observe>[3], ago = 0) =>
    observe(world.db, device.lines[index]!.id, world.clock.now() - ago, seen);
  const opens = async () => {
    const { data } = await oneKey({ action: 'open', preview: true });
    return data.lines.map((line: { will: string }) => line.will);
  };

  test('includes every line without a fresh report that proves it open by position, current and power', async () => {
    await reports(0, { position: 0, values: { 'U.a': 230, 'I.a': 12, 'P.t': 2760 } });
    await reports(1, { position: 0, values: { 'U.a': 230, 'I.a': 3.1 } });
    await reports(2, { position: null });
    await reports(3, { position: 0 }, 121_000);
    expect(await opens()).toEqual(['switch', 'switch', 'switch', 'switch']);
  });

  test('does not know the load of lines that nobody has measured', async () => {
    await reports(0, { position: null, values: {} });
    const line_ids = [device.lines[0]!.id];
    const { data } = await oneKey({ action: 'open', preview: true, line_ids });
    expect(data).toMatchObject({ to_switch: 1, current: null, power: null });
  });

  test('includes a line whose newest reports carry no position', async () => {
    const position_at = new Date(world.clock.now() - 121_000);
    await reports(0, { position: 0, facts: { position_at } });
    await reports(1, { position: 0, values: { 'U.a': 230 } });
    expect(await opens()).toEqual(['switch', 'switch', 'skip', 'skip']);
  });

  test('gives the age of each position, and counts the load of a line that lost its position', async () => {
    const position_at = new Date(world.clock.now() - 121_000);
    const values = { 'U.a': 230, 'I.a': 12, 'P.t': 2760 };
    await reports(0, { position: 0, values, facts: { position_at } });
    const { data } = await oneKey({ action: 'open', preview: true });
    expect(data).toMatchObject({ to_switch: 1, current: 12, power: 2760 });
    expect(data.lines[0]).toMatchObject({
      observed_at: position_at.toISOString(),
      stale: true,
      values_stale: false,
    });
    expect(data.lines[1]).toMatchObject({ state: 'open', stale: false });
  });

  test('an empty list of lines is refused at its field, as JSON and as a form', async () => {
    await lineIs(0, 1, 3);
    for (const list of [{ line_ids: [] }, { line_ids: null }, { device_ids: [] }])
      expect(await oneKey({ action: 'open', ...list })).toMatchObject({
        status: 422,
        data: { [Object.keys(list)[0]!]: expect.any(String) },
      });
    const form = `device_id=${device.id}&action=open&line_ids=`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await anna.call('/device_line/onekey_opening', form, headers)).toMatchObject({
      status: 422,
      data: { line_ids: expect.any(String) },
    });
    expect(published()).toEqual([]);
    expect(
      await anna.call('/device_line/onekey_opening', `device_id=${device.id}&action=open`, headers),
    ).toMatchObject({
      status: 200,
      data: { to_switch: 1 },
    });
  });

  test('a foreign device has no preview and no batches', async () => {
    await lineIs(0, 1, 3);
    const { data } = await oneKey({ action: 'open' });
    await publishedTo(1);
    const other = await makeProject(world.db);
    const stranger = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: other.id }] })).id);
    expect((await oneKey({ action: 'open', preview: true }, stranger)).status).toBe(404);
    expect((await oneKey({ action: 'open' }, stranger)).status).toBe(404);
    const foreign = await stranger.call('/device_line/get_batch', { batch_id: data.batch_id });
    expect(foreign.status).toBe(404);
    const clerk = await world.as((await makeUser(world.db, { role: 78, projects: [{ id: project }] })).id);
    expect((await oneKey({ action: 'open', preview: true }, clerk)).status).toBe(403);
  });
});

describe('the run', () => {
  test('opens the closed lines, with one command per line, and reports each result', async () => {
    await lineIs(0, 1, 3);
    await lineIs(2, 1, 1);
    const { data } = await oneKey({ action: 'open' });
    await publishedTo(2);
    expect(published().every((one) => one.command.batch === data.batch_id)).toBe(true);
    await proves(0, 0);
    await proves(2, 0);
    const shown = await eventually(async () => {
      const now = await batch(data.batch_id);
      return now.state !== 'running' && now;
    });
    expect(shown).toMatchObject({ state: 'done', interrupted: false, counts: { verified: 2, skipped: 2 } });
  });

  test('closing more than one line asks for the password', async () => {
    expect(await oneKey({ action: 'close', preview: true })).toMatchObject({
      data: { password_needed: true, to_switch: 4 },
    });
    expect(await oneKey({ action: 'close' })).toMatchObject({
      status: 409,
      data: { reason: 'password_needed' },
    });
    expect(await oneKey({ action: 'close', password: 'wrong123' })).toMatchObject({ status: 422 });
    expect(published()).toEqual([]);
  });

  test('a one-key run closes one line every 300 ms', async () => {
    const { data } = await oneKey({ action: 'close', password: testPassword });
    for (let count = 1; count <= 4; count++) {
      await publishedTo(count);
      world.clock.advance(299);
      expect(published()).toHaveLength(count);
      world.clock.advance(1);
    }
    expect(published().map((one) => one.command.n)).toEqual([1, 2, 3, 4]);
    for (let index = 0; index < 4; index++) await proves(index, 1);
    await becomes(async () => (await batch(data.batch_id)).state, 'done');
  });

  test('a line that the guard refuses during the run is reported, and the others continue', async () => {
    const { data } = await oneKey({ action: 'close', password: testPassword });
    await publishedTo(1);
    const tag = await anna.call('/lockout_tag/add_tag', { line_id: device.lines[1]!.id, reason: 'Fuse out' });
    for (let count = 2; count <= 3; count++) {
      world.clock.advance(300);
      await eventually(async () => {
        const shown = await batch(data.batch_id);
        return shown.counts.waiting === 4 - count || (count === 4 && !shown.counts.waiting);
      });
    }
    world.clock.advance(300);
    await publishedTo(3);
    const shown = await batch(data.batch_id);
    expect(shown.lines[1]).toMatchObject({
      state: 'refused',
      message: 'A lock-out tag forbids this: Fuse out (anna)',
    });
    world.clock.advance(60_000);
    await becomes(async () => (await batch(data.batch_id)).state, 'partial');
    await anna.call('/lockout_tag/remove_tag', { tag_id: tag.data.tag_id });
  });

  describe('while a batch closes', () => {
    const withLines = async (lines: number) => {
      device = await makeSwitch(world, project, lines);
    };
    /** The rest of the batch, at its pace. */
    const passes = async (batchId: string) => {
      for (;;) {
        const { waiting = 0 } = (await batch(batchId)).counts;
        if (waiting === 0) return batch(batchId);
        world.clock.advance(300);
        await eventually(async () => ((await batch(batchId)).counts.waiting ?? 0) < waiting);
      }
    };
    const closes = () => published().flatMap(({ command }) => (command.cmd === 'close' ? command.n : []));

    test.each([
      ['a moment later', 0],
      ['through a node whose clock is a second late', 1000],
    ])(
      'while a batch closes, a line that is opened by hand %s is not closed when its turn comes',
      async (_, late) => {
        await withLines(13);
        const { data } = await oneKey({ action: 'close', password: testPassword });
        await publishedTo(1);
        world.clock.advance(1);
        const last = device.lines.at(-1)!;
        const open = { device_id: device.id, line_id: last.id, action: 'open' };
        expect((await anna.call('/device_do/device_do', open)).status).toBe(200);
        await publishedTo(2);
        const { command } = published()[1]!;
        await world.db
          .updateTable('commands')
          .set({ created_at: new Date(world.clock.now() - late) })
          .where('id', '=', command.id)
          .execute();
        await answer(world, device, command.id, { st: 'done', seq: 10 });
        await report(world, device, last, { position: 0, seq: 50 });
        const shown = await passes(data.batch_id);
        expect(shown.lines.at(-1)).toMatchObject({
          state: 'refused',
          message: 'Superseded by an open command',
        });
        await publishedTo(13);
        expect(closes()).toEqual(device.lines.slice(0, -1).map(({ n }) => n));
      },
    );

    test('while a batch closes, a line whose device moves to another project is not closed there', async () => {
      const other = await makeProject(world.db);
      const both = { role: 3, projects: [{ id: project }, { id: other.id }] };
      const of = await world.as((await makeUser(world.db, both)).id);
      const { data } = await oneKey({ action: 'close', password: testPassword }, of);
      await publishedTo(1);
      await world.db
        .updateTable('devices')
        .set({ project_id: other.id })
        .where('id', '=', device.id)
        .execute();
      const sent = closes().length;
      for (let waiting = 3; waiting > 0; waiting--) {
        world.clock.advance(300);
        await eventually(async () => ((await batch(data.batch_id, of)).counts.waiting ?? 0) < waiting);
      }
      const shown = await batch(data.batch_id, of);
      expect(shown.lines.slice(sent).map(({ message }: { message: string }) => message)).toEqual(
        Array.from(
          { length: 4 - sent },
          () => 'The device has moved to another project since this was asked for: not carried out',
        ),
      );
      expect(closes()).toHaveLength(sent);
      expect(sent).toBeLessThan(4);
    });

    test('while a batch closes, one-key open stops it, for lines that still report open too', async () => {
      const { data } = await oneKey({ action: 'close', password: testPassword });
      await publishedTo(1);
      world.clock.advance(1);
      const opened = await oneKey({ action: 'open' });
      expect(opened).toMatchObject({ status: 200, data: { to_switch: 4, skipped: 0 } });
      await publishedTo(5);
      const shown = await passes(data.batch_id);
      expect(shown.lines.map((line: { reason: string }) => line.reason)).toEqual(
        Array.from({ length: 4 }, () => 'control.superseded'),
      );
      expect(closes()).toEqual([1]);
    });
  });

  describe('what was withdrawn while a batch runs', () => {
    const refused = 'refused';
    const user = (userId: number, values: object) =>
      world.db.updateTable('users').set(values).where('id', '=', userId).execute();
    const places = (userId: number, part_ids: number[]) =>
      world.db.updateTable('user_projects').set({ part_ids }).where('user_id', '=', userId).execute();
    const withdrawals: [string, string, string, (userId: number, own: number) => Promise<unknown>][] = [
      ['the user is disabled', 'not_sent', 'batch.author', (id) => user(id, { enabled: false })],
      [
        "the user's password is changed",
        'not_sent',
        'batch.password',
        (id) => user(id, { password_changed_at: new Date(world.clock.now() + 1) }),
      ],
      [
        'the user is deleted',
        'not_sent',
        'batch.author',
        (id) => user(id, { deleted_at: new Date(world.clock.now()) }),
      ],
      [
        ...(['the user gets a role without the right', refused, 'permission.denied'] as const),
        async (id) => user(id, { role_id: (await makeUser(world.db, { role: 78 })).role_id }),
      ],
      ['the user keeps another part only', refused, 'device.missing', (id) => places(id, [2_000_000_000])],
      [
        ...(['remote control is disabled', refused, 'control.net_ctrl_off'] as const),
        () => world.db.updateTable('devices').set({ net_ctrl: false }).where('id', '=', device.id).execute(),
      ],
      [
        ...(['the project is deleted', refused, 'device.missing'] as const),
        (_, own) =>
          world.db
            .updateTable('projects')
            .set({ deleted_at: new Date(world.clock.now()) })
            .where('id', '=', own)
            .execute(),
      ],
      [
        ...(['the project gets a lock-out tag', refused, 'control.tagged'] as const),
        (_, own) => anyone.call('/lockout_tag/add_tag', { project_id: own, reason: 'Work' }),
      ],
    ];
    let anyone: Client;

    test.each(withdrawals)(
      'when %s, no more lines close, and the batch, its lines and the log say why',
      async (_what, state, reason, withdraw) => {
        const own = (await makeProject(world.db)).id;
        device = await makeSwitch(world, own, 4);
        const asking = await makeUser(world.db, { role: 3, projects: [{ id: own }] });
        anyone = await world.as((await makeUser(world.db, { role: 1 })).id);
        const by = await world.as(asking.id);
        const { data } = await oneKey({ action: 'close', password: testPassword }, by);
        await publishedTo(1);
        await withdraw(asking.id, own);
        const rows = () =>
          world.db
            .selectFrom('batch_lines')
            .selectAll()
            .where('batch_id', '=', data.batch_id)
            .orderBy('position')
            .execute();
        for (let waiting = 3; waiting > 0; waiting -= 1) {
          world.clock.advance(300);
          await becomes(
            async () => (await rows()).filter((row) => row.state === 'waiting').length,
            waiting - 1,
          );
        }
        world.clock.advance(300);
        await eventually(async () => {
          const ended = await world.db
            .selectFrom('batches')
            .select('ended_at')
            .where('id', '=', data.batch_id)
            .executeTakeFirst();
          return ended?.ended_at;
        });
        expect((await rows()).slice(1)).toMatchObject(
          [1, 2, 3].map(() => ({ state, reason, command_id: null })),
        );
        expect(published()).toHaveLength(1);
        const log = await world.db
          .selectFrom('operation_log')
          .select(['outcome', 'parameters'])
          .where('device_id', '=', device.id)
          .where('key', '=', 'line.oneKeyLine')
          .orderBy('id')
          .execute();
        expect(log.map(({ outcome }) => outcome)).toEqual(['done', refused, refused, refused]);
        expect(log.slice(1)).toMatchObject([1, 2, 3].map(() => ({ parameters: { fault: reason } })));
      },
    );
  });

  test('lines of a batch open although the password of its operator is changed', async () => {
    for (let index = 0; index < 4; index += 1) await lineIs(index, 1, 3);
    const asking = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
    const by = await world.as(asking.id);
    const soon = new Date(world.clock.now() + 1);
    await world.db
      .updateTable('users')
      .set({ password_changed_at: soon })
      .where('id', '=', asking.id)
      .execute();
    await oneKey({ action: 'open' }, by);
    await publishedTo(4);
  });

  test('a closing batch that stood still is not continued, and a delay shortens no pause', async () => {
    const { data } = await oneKey({ action: 'close', password: testPassword });
    await publishedTo(1);
    // The server gets no processor time, then it is suspended.
    world.clock.advance(5000);
    await publishedTo(2);
    await world.control.settled();
    expect((await batch(data.batch_id)).counts).toMatchObject({ waiting: 2 });
    await observe(world.db, device.lines[2]!.id, world.clock.now() + 60_000);
    world.clock.advance(60_000);
    await becomes(async () => (await batch(data.batch_id)).interrupted, true);
    expect((await batch(data.batch_id)).counts).toMatchObject({ not_sent: 2 });
    expect(published()).toHaveLength(2);
  });

  test('commands that a crash left unsent are reported as not sent', async () => {
    const dead = {
      action: 'close',
      state: 'running',
      cause: 'onekey',
      user_id: anna.userId,
      operator: 'anna',
      address: '',
      channel: 'web',
      request_id: 'x',
      pace_ms: 300,
      ended_at: null,
    } as const;
    const id = crypto.randomUUID();
    const at = new Date(world.clock.now() - 20_000);
    await world.db
      .insertInto('batches')
      .values({ ...dead, id, created_at: at, beat_at: at })
      .execute();
    await world.db
      .insertInto('batch_lines')
      .values(
        device.lines.map((line, position) => ({
          batch_id: id,
          position,
          device_id: device.id,
          line_id: line.id,
          state: 'waiting' as const,
          reason: null,
          command_id: null,
          at: null,
        })),
      )
      .execute();
    const node = world.anotherBatches();
    await node.start();
    const shown = await eventually(async () => {
      const now = await batch(id);
      return now.state !== 'running' && now;
    });
    await node.stop();
    expect(shown).toMatchObject({ state: 'partial', interrupted: true, counts: { not_sent: 4 } });
    expect(shown.lines[0].message).toBe('The server was interrupted: not sent');
    expect(published()).toEqual([]);
  });

  test('one-key over two projects is in the log of both, each with its own devices', async () => {
    const other = (await makeProject(world.db)).id;
    const there = await makeSwitch(world, other, 1);
    const chief = await world.as((await makeUser(world.db, { role: 1 })).id);
    const device_ids = [device.id, there.id];
    const body = { device_id: undefined, device_ids, action: 'close' };
    expect(await oneKey({ ...body, password: testPassword }, chief)).toMatchObject({ status: 200 });
    expect(await oneKey(body, chief)).toMatchObject({ status: 409 });
    const rows = await world.db
      .selectFrom('operation_log')
      .select(['project_id', 'outcome', 'parameters'])
      .where('user_id', '=', chief.userId)
      .where('key', '=', 'line.oneKey')
      .orderBy('id')
      .execute();
    expect(rows).toMatchObject(
      ['done', 'refused'].flatMap((outcome) => [
        { outcome, project_id: project, parameters: { device_ids: [device.id] } },
        { outcome, project_id: other, parameters: { device_ids: [there.id] } },
      ]),
    );
    expect(rows.slice(0, 2)).toMatchObject([
      { parameters: { to_switch: 4, skipped: 0 } },
      { parameters: { to_switch: 1, skipped: 0 } },
    ]);
  });

  test('one-key reports that there is nothing to switch', async () => {
    expect(await oneKey({ action: 'open' })).toMatchObject({
      status: 409,
      msg: 'There is no line to switch',
    });
  });
});
