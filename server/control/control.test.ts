import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SwitchAction } from '#contract/control.ts';
import { makeAhead } from '#database/partitions.ts';
import { DeliveryUncertain } from '#server/core/group.ts';
import { type ControlWorld, commandProbe, createControlWorld } from '#test/control-world.ts';
import { makeProject, makeTag, makeUser } from '#test/factories.ts';
import {
  answer,
  clockAlarm,
  healthy,
  makeSwitch,
  moveBy,
  observe,
  report,
  type Switch,
} from '#test/switches.ts';
import { becomes, eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';

let world: ControlWorld;
let project: number;
let operator: Client;
let device: Switch;
beforeAll(async () => {
  world = await createControlWorld();
  project = (await makeProject(world.db)).id;
  const user = await makeUser(world.db, { role: 3, username: 'anna', projects: [{ id: project }] });
  operator = await world.as(user.id);
  await makeAhead(world.pool, world.clock.now());
});
afterAll(() => world.close());
beforeEach(async () => {
  operator = await world.as(operator.userId);
  device = await makeSwitch(world, project);
  world.link.trouble = null;
  world.findings.raised.length = 0;
  world.findings.meanwhile = null;
});

const { deviceDo, commandBecomes, raisedHere, row, sent, command, restarted, answered } = commandProbe(
  () => ({
    world,
    device,
    operator,
  }),
);
const latest = () =>
  world.db
    .selectFrom('line_latest')
    .selectAll()
    .where('line_id', '=', device.line.id)
    .executeTakeFirstOrThrow();
const statesOf = (id: string) =>
  world
    .heard('command.changed')
    .filter((event) => event.commandId === id)
    .map((event) => event.state);

describe('the life of a command', () => {
  test('an open is verified by a later reading that shows no current', async () => {
    const id = await sent('open');
    expect(world.link.publishedTo(device)).toMatchObject([
      {
        deviceNumber: device.number,
        command: { id, cmd: 'open', n: 1, by: `u:${operator.userId}`, batch: null },
      },
    ]);
    expect(await latest()).toMatchObject({ commanded: 0, commanded_by: 'anna', acknowledged: null });
    await answered(id, { st: 'accepted', seq: 7 });
    await answered(id, { st: 'done', seq: 9, sw: 0 });
    expect(await latest()).toMatchObject({ commanded: 0, acknowledged: 0 });
    world.clock.advance(400);
    await report(world, device, device.line, { position: 0, seq: 10 });
    await commandBecomes(id, 'verified');
    expect(statesOf(id)).toEqual(['created', 'sent', 'acknowledged', 'verified']);
    expect(await command(id)).toMatchObject({
      state: 'verified',
      operator: 'anna',
      evidence: { verdict: 'agrees', position: 0, values: { 'I.a': 0 } },
    });
  });

  test('a submitted command is reported as taking effect, in the caller’s language', async () => {
    const shown = {
      'zh-CN': '已提交，正在生效',
      'en-US': 'Submitted and taking effect',
      'ru-RU': 'Отправлено, вступает в силу',
    };
    for (const [language, msg] of Object.entries(shown)) {
      const one = await makeSwitch(world, project);
      const asked = await operator.call(
        '/device_do/device_do',
        { device_id: one.id, line_id: one.line.id, action: 'open' },
        { 'accept-language': language },
      );
      expect(asked).toMatchObject({ status: 200, code: 200, msg });
    }
  });

  test('a close is verified by voltage at the output', async () => {
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 20 });
    await report(world, device, device.line, { position: 1, seq: 21, values: { 'U.a': 229, 'I.a': 3 } });
    await commandBecomes(id, 'verified');
  });

  test('a close is not verified without measurements', async () => {
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 20 });
    await report(world, device, device.line, { position: 1, seq: 21, values: { IL: 5 } });
    await eventually(async () => (await row(id)).evidence !== null);
    world.clock.advance(15_000);
    await commandBecomes(id, 'unknown');
  });

  test('a queued close is not sent after a tag is set or its user loses the permission', async () => {
    const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
    const other = await world.as(user.id);
    const hold = Promise.withResolvers<void>();
    const two = await makeSwitch(world, project, 3);
    const ask = (line: number, action: string, by: Client) =>
      by.call('/device_do/device_do', { device_id: two.id, line_id: two.lines[line]!.id, action });
    world.link.trouble = () => hold.promise;
    expect(await ask(0, 'open', operator)).toMatchObject({ status: 200 });
    const tagged = (await ask(1, 'close', operator)).data.command_id;
    const denied = (await ask(2, 'close', other)).data.command_id;
    await makeTag(world.db, { line_id: two.lines[1]!.id }, { owner: user.id, at: world.clock.now() });
    await world.db.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
    hold.resolve();
    await commandBecomes(tagged, 'failed');
    await commandBecomes(denied, 'failed');
    expect([(await row(tagged)).reason, (await row(denied)).reason]).toEqual(['tagged', 'denied']);
    expect(world.link.publishedTo(two)).toMatchObject([{ command: { cmd: 'open' } }]);
  });

  test('a reading that arrives before the answer proves the command only if it was measured after the answer', async () => {
    const first = await sent('open');
    await report(world, device, device.line, { position: 0, seq: 31 });
    await eventually(async () => (await row(first)).evidence !== null);
    await answer(world, device, first, { st: 'done', seq: 30 });
    await commandBecomes(first, 'verified');

    world.clock.advance(5000);
    const second = await sent('open');
    await report(world, device, device.line, { position: 0, seq: 39 });
    await eventually(async () => (await row(second)).evidence !== null);
    await answered(second, { st: 'done', seq: 40 });
    world.clock.advance(15_000);
    await commandBecomes(second, 'unknown');
  });

  test('an open line with 3.1 A is a mismatch and raises alarm 703', async () => {
    const id = await sent('open');
    await answered(id, { st: 'done', seq: 9 });
    await report(world, device, device.line, { position: 0, seq: 10, values: { ...healthy, 'I.a': 3.1 } });
    await eventually(async () => (await row(id)).evidence !== null);
    world.clock.advance(14_999);
    expect((await command(id)).state).toBe('acknowledged');
    world.clock.advance(1);
    await commandBecomes(id, 'mismatch');
    expect(raisedHere()).toMatchObject([
      { code: 703, level: 2, active: true, line: { lineId: device.line.id, deviceNumber: device.number } },
    ]);
    expect((await command(id)).evidence).toMatchObject({ verdict: 'contradicts', values: { 'I.a': 3.1 } });
  });

  test('a mismatch is written only after its alarm is on disk', async () => {
    const id = await sent('open');
    await answered(id, { st: 'done', seq: 9, sw: 1 });
    world.findings.trouble = new Error('the database is away');
    world.clock.advance(15_000);
    await world.control.settled();
    expect((await row(id)).state).toBe('acknowledged');
    world.findings.trouble = null;
    world.clock.advance(1000);
    await commandBecomes(id, 'mismatch');
    expect(raisedHere()).toHaveLength(1);
  });

  test('writing the alarm of a mismatch blocks no other command: another open is sent', async () => {
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 9, sw: 0 });
    let opened = '';
    world.findings.meanwhile = async () => {
      world.findings.meanwhile = null;
      opened = (await deviceDo('open')).data.command_id;
    };
    world.clock.advance(15_000);
    await commandBecomes(id, 'unknown');
    await world.control.settled();
    expect(await row(id)).toMatchObject({ state: 'unknown', reason: 'superseded' });
    expect(raisedHere()).toMatchObject([{ code: 703, active: true }]);
    await answered(opened, { st: 'done', seq: 12 });
    await report(world, device, device.line, { position: 0, seq: 13 });
    await commandBecomes(opened, 'verified');
  });

  test('a stuck contact that reports done ends in mismatch', async () => {
    await observe(world.db, device.line.id, world.clock.now(), {
      position: 1,
      values: { ...healthy, 'I.a': 8 },
    });
    const id = await sent('open');
    await answered(id, { st: 'done', seq: 9, sw: 1 });
    world.clock.advance(15_000);
    await commandBecomes(id, 'mismatch');
  });

  test('an open that a report contradicts and a later one proves in time is verified, without an alarm', async () => {
    const id = await sent('open');
    await answered(id, { st: 'done', seq: 9 });
    await report(world, device, device.line, { position: 1, seq: 10 });
    await eventually(async () => (await row(id)).evidence !== null);
    world.clock.advance(1000);
    await report(world, device, device.line, { position: 0, seq: 11 });
    await commandBecomes(id, 'verified');
    expect(raisedHere()).toEqual([]);
  });

  test('a command without a report of the meter within 15 s ends as unknown', async () => {
    const id = await sent('close');
    await answered(id, { st: 'done' });
    world.clock.advance(15_000);
    await commandBecomes(id, 'unknown');
  });

  test('old, foreign and backfilled readings prove nothing', async () => {
    await observe(world.db, device.line.id, world.clock.now() - 5000, { position: 1, seq: 5000 });
    world.clock.advance(20_000);
    await world.db
      .updateTable('device_state')
      .set({ last_seen: new Date(world.clock.now()) })
      .where('device_id', '=', device.id)
      .execute();
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 9 });
    await report(world, device, device.line, { position: 1, seq: 10, latest: false });
    await report(world, device, device.line, {
      position: 1,
      at: world.clock.now() - 20_000,
      seq: 10,
    });
    const other = await makeSwitch(world, project);
    await report(world, other, other.line, { position: 1, seq: 10 });
    await answer(world, other, id, { st: 'done', seq: 11 });
    world.clock.advance(15_000);
    await commandBecomes(id, 'unknown');
  });

  test('a command without an answer in time expires; a later answer is noted and changes nothing', async () => {
    const id = await sent('close');
    world.clock.advance(30_000);
    await commandBecomes(id, 'expired');
    await answer(world, device, id, { st: 'done' });
    await eventually(async () => (await row(id)).late !== null);
    expect(await row(id)).toMatchObject({ state: 'expired', late: { ack: { st: 'done' } } });
    expect((await latest()).acknowledged).toBeNull();
  });

  test('settings decide the times for an answer and for its proof; an invalid setting gives the default', async () => {
    const put = (value: unknown) =>
      world.db
        .insertInto('settings')
        .values({ key: 'control', value: JSON.stringify(value), updated_at: new Date() })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: JSON.stringify(value) }))
        .execute();
    const lasts = async (action: SwitchAction) =>
      Date.parse((await deviceDo(action)).data.expires_at) - world.clock.now();
    await put({ switchExpiryS: 12 });
    expect(await lasts('close')).toBe(12_000);
    await put({ switchExpiryS: 86_400 });
    expect(await lasts('open')).toBe(30_000);
    await world.db.deleteFrom('settings').where('key', '=', 'control').execute();
  });

  for (const [ack, state, reason, message] of [
    [{ st: 'rejected', why: 'tripped' }, 'failed', 'tripped', 'The line has tripped'],
    [{ st: 'rejected', why: 'busy' }, 'failed', 'busy', 'A command by - is under way'],
    [{ st: 'rejected' }, 'failed', 'rejected', 'The device refused'],
    [{ st: 'failed' }, 'failed', 'hw_fail', 'The device reports a mechanism failure'],
    [{ st: 'expired' }, 'expired', 'expired', 'The command expired'],
  ] as const)
    test(`the answer ${ack.st} ${'why' in ack ? ack.why : ''} ends the command as ${state}: ${reason}`, async () => {
      const id = await sent('close');
      await answer(world, device, id, ack);
      await commandBecomes(id, state);
      const shown = await command(id);
      expect(shown).toMatchObject({ state, reason });
      expect(shown.message.startsWith(message)).toBe(true);
    });

  test('a rejection of the repeated message as a duplicate does not undo the first answer', async () => {
    const id = await sent('close');
    await answer(world, device, id, { st: 'rejected', why: 'dup', seq: 8 });
    await answered(id, { st: 'done', seq: 9 });
    await answer(world, device, id, { st: 'done', seq: 9 });
    await report(world, device, device.line, { position: 1, seq: 10 });
    await commandBecomes(id, 'verified');
    expect(await row(id)).toMatchObject({ late: null });
  });

  test('a device may write the command id in capitals, in its answer and in its move', async () => {
    const answering = await sent('close');
    await answer(world, device, answering.toUpperCase(), { st: 'done', seq: 9 });
    await commandBecomes(answering, 'acknowledged');
    await report(world, device, device.line, { position: 1, seq: 10 });
    await commandBecomes(answering, 'verified');
    world.clock.advance(60_000);
    const moving = await sent('open');
    await moveBy(world, device, device.line, moving.toUpperCase(), { position: 0, seq: 20 });
    await commandBecomes(moving, 'acknowledged');
  });

  test('a move event that names the command replaces a lost answer', async () => {
    const id = await sent('close');
    await moveBy(world, device, device.line, id, { position: 1, seq: 5 });
    await commandBecomes(id, 'acknowledged');
    await report(world, device, device.line, { position: 1, seq: 4 });
    await eventually(async () => (await row(id)).evidence !== null);
    expect((await row(id)).state).toBe('acknowledged');
    world.clock.advance(300);
    await report(world, device, device.line, { position: 1 });
    await commandBecomes(id, 'verified');
    expect(raisedHere()).toEqual([]);
  });

  test('an answer is read from its row even if no event announced it', async () => {
    const untold = { ...world, bus: { ...world.bus, emit: () => {} } };
    const id = await sent('close');
    const foreignId = randomUUID();
    // Answers to commands of earlier tests are removed later.
    const rows = () =>
      world.db
        .selectFrom('command_answers')
        .select('command_id')
        .where('command_id', 'in', [id, foreignId])
        .execute();
    const cameAt = world.clock.now();
    await answer(untold, device, id, { st: 'done', seq: 9 });
    await answer(untold, device, foreignId, { st: 'done', seq: 10 });
    await answer(untold, await makeSwitch(world, project), id, { st: 'failed', seq: 1 });
    expect(await rows()).toHaveLength(3);
    world.clock.advance(10_000);
    await commandBecomes(id, 'acknowledged');
    expect((await row(id)).acknowledged_at).toEqual(new Date(cameAt));
    await becomes(async () => (await rows()).length, 0);
    await report(world, device, device.line, { position: 1, seq: 11 });
    await commandBecomes(id, 'verified');
  });

  test('a command to an unreachable device fails and is never sent later', async () => {
    world.link.trouble = async () => {
      throw new Error('no session');
    };
    const asked = await deviceDo('open');
    await commandBecomes(asked.data.command_id, 'failed');
    expect((await command(asked.data.command_id)).message).toBe('The device must be online to operate');
    world.link.trouble = null;
    world.clock.advance(60_000);
    expect(world.link.publishedTo(device)).toEqual([]);
  });

  test('a command whose message may have arrived waits for its answer', async () => {
    world.link.trouble = async () => {
      throw new DeliveryUncertain('no acknowledgement within 2 s');
    };
    const asked = await deviceDo('open');
    await commandBecomes(asked.data.command_id, 'sent');
    await answer(world, device, asked.data.command_id, { st: 'done', seq: 11 });
    await report(world, device, device.line, { position: 0, seq: 12 });
    await commandBecomes(asked.data.command_id, 'verified');
  });

  test('a command without a measurable effect ends when the device reports it, with the report as evidence', async () => {
    const asked = await operator.call('/device_do/device_do', {
      device_id: device.id,
      action: 'selftest',
    });
    const id = asked.data.command_id;
    await commandBecomes(id, 'sent');
    expect(world.link.publishedTo(device)[0]!.command).toMatchObject({ cmd: 'selftest' });
    expect(world.link.publishedTo(device)[0]!.command).not.toHaveProperty('n');
    await answered(id, { st: 'accepted' });
    world.clock.advance(60_000);
    expect((await command(id)).state).toBe('acknowledged');
    await answer(world, device, id, { st: 'done', data: { passed: true } });
    await commandBecomes(id, 'answered');
    expect((await command(id)).evidence).toEqual({ passed: true });
  });
});

describe('what proves a command', () => {
  const closed = { 'U.a': 229, 'I.a': 3 };
  const becomesUnknown = async (id: string) => {
    world.clock.advance(15_000);
    await commandBecomes(id, 'unknown');
  };

  test('an older report proves nothing if the newest one lacks the position', async () => {
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 20 });
    await observe(world.db, device.line.id, world.clock.now(), {
      position: 1,
      seq: 21,
      values: closed,
      facts: { position_seq: 1 },
    });
    await becomesUnknown(id);
  });

  test('a report with a faulty position sensor proves nothing', async () => {
    const id = await sent('open');
    await answered(id, { st: 'done', seq: 20 });
    await report(world, device, device.line, { position: null, seq: 21 });
    await becomesUnknown(id);
  });

  test('a report measured 8.8 s before the command proves nothing, whatever its sequence number', async () => {
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 20 });
    const at = world.clock.now() - 8800;
    await report(world, device, device.line, { position: 1, at, seq: 21, values: closed });
    await becomesUnknown(id);
  });

  test('a later report proves a command by its time alone, if the device numbers its answers separately', async () => {
    await observe(world.db, device.line.id, world.clock.now(), { seq: 500 });
    const id = await sent('close');
    await answered(id, { st: 'done', seq: 3 });
    await report(world, device, device.line, { position: 1, seq: 501, values: closed });
    await eventually(async () => (await row(id)).evidence !== null);
    expect((await row(id)).state).toBe('acknowledged');
    world.clock.advance(5000);
    await report(world, device, device.line, { position: 1, seq: 502, values: closed });
    await commandBecomes(id, 'verified');
  });

  test('a report of a clock that is four seconds slow or fast proves a command, by its sequence number after the answer', async () => {
    for (const [action, offset, seq] of [
      ['close', -4000, 20],
      ['open', 4000, 30],
    ] as const) {
      const id = await sent(action);
      await answered(id, { st: 'done', seq, t: world.clock.now() + offset });
      const at = world.clock.now() + offset;
      const position = action === 'close' ? 1 : 0;
      await report(world, device, device.line, {
        position,
        at,
        seq: seq + 1,
        values: position ? closed : healthy,
      });
      await commandBecomes(id, 'verified');
      const { ended_at, evidence } = await row(id);
      expect(Date.parse(String(evidence!['at']))).toBeLessThanOrEqual(ended_at!.getTime());
      world.clock.advance(5000);
    }
  });

  test('a late answer is accepted while the command is open', async () => {
    const untold = { ...world, bus: { ...world.bus, emit: () => {} } };
    const id = await sent('close');
    world.clock.advance(29_999);
    await world.control.settled();
    await answer(untold, device, id, { st: 'done', seq: 20 });
    world.clock.advance(1);
    await commandBecomes(id, 'acknowledged');
    await report(world, device, device.line, { position: 1, seq: 21, values: closed });
    await commandBecomes(id, 'verified');
  });

  test('a superseded close that the device had answered ends as unknown, not failed', async () => {
    const close = await sent('close');
    await answered(close, { st: 'accepted', seq: 20 });
    await sent('open');
    expect(await command(close)).toMatchObject({ state: 'unknown', reason: 'superseded' });
  });
});

describe('a device whose clock is wrong', () => {
  const skew = (ms: number) =>
    world.db.updateTable('device_state').set({ clock_ms: ms }).where('device_id', '=', device.id).execute();

  test('a device whose clock is wrong gets the expiry by its own clock', async () => {
    await skew(-40_000);
    const id = await sent('open');
    const { expires_at } = await row(id);
    expect(world.link.publishedTo(device)[0]!.command.exp).toBe(expires_at.getTime() + 40_000);
  });

  test('a device whose clock turns out slow may act after the expiry: the command ends as unknown', async () => {
    const id = await sent('close');
    await skew(300_000);
    world.clock.advance(30_000);
    await commandBecomes(id, 'unknown');
  });

  test('a device whose clock is wrong does not keep a line busy after the server clock was set back half an hour', async () => {
    const id = await sent('close');
    world.clock.set(world.clock.now() - 1_800_000);
    await restarted();
    expect((await row(id)).state).toBe('unknown');
    world.clock.set(world.clock.now() + 1_800_000);
  });
});

test('a sweep that waited for the table does not end a command that was requested meanwhile', async () => {
  const id = await sent('open');
  const later = await makeSwitch(world, project);
  const held = await world.pool.connect();
  await held.query('begin');
  await held.query('lock table commands in access exclusive mode');
  // The sweep reads the clock, and waits for the table.
  world.clock.advance(1000);
  await eventually(async () => {
    const waits = await world.pool.query(
      `select from pg_locks where relation = 'commands'::regclass and not granted`,
    );
    return waits.rowCount;
  });
  world.clock.advance(6000);
  const laterId = randomUUID();
  const now = world.clock.now();
  await held.query(
    `insert into commands (id, device_id, line_id, number, verb, parameters, state, cause, operator, address, created_at,
       sent_at, expires_at, deadline_at)
     select $2, $3, $4, number, verb, parameters, state, cause, operator, address, $5, $5, $6, $6
     from commands where id = $1`,
    [id, laterId, later.id, later.line.id, new Date(now), new Date(now + 30_000)],
  );
  await held.query('commit');
  held.release();
  await world.control.settled();
  expect(await row(laterId)).toMatchObject({ state: 'sent', ended_at: null });
});

describe('reset and leakage test', () => {
  const asks = async (action: string, line_id: number | null = device.line.id) => {
    const asked = await deviceDo(action, operator, line_id);
    await commandBecomes(asked.data.command_id, 'sent');
    return asked.data.command_id as string;
  };

  test('a reset is verified by a later report without a trip', async () => {
    await observe(world.db, device.line.id, world.clock.now(), { trip: 301 });
    const id = await asks('reset');
    await answered(id, { st: 'done', seq: 20 });
    expect((await row(id)).state).toBe('acknowledged');
    await report(world, device, device.line, { position: 0, trip: 0, seq: 21 });
    await commandBecomes(id, 'verified');
  });

  test('a reset after which the trip remains is a mismatch', async () => {
    await observe(world.db, device.line.id, world.clock.now(), { trip: 301 });
    const id = await asks('reset');
    await answered(id, { st: 'done', seq: 20 });
    await report(world, device, device.line, { position: 0, trip: 301, seq: 21 });
    await eventually(async () => (await row(id)).evidence !== null);
    world.clock.advance(15_000);
    await commandBecomes(id, 'mismatch');
  });

  test('a reset of the whole device is verified when every switching line is without a trip', async () => {
    device = await makeSwitch(world, project, 2);
    const [first, second] = device.lines;
    const id = await asks('reset', null);
    await answered(id, { st: 'done', seq: 20 });
    await report(world, device, first!, { position: 0, trip: 0, seq: 21 });
    await world.control.settled();
    expect((await row(id)).state).toBe('acknowledged');
    await report(world, device, second!, { position: 0, trip: 0, seq: 22 });
    await commandBecomes(id, 'verified');
  });

  test('a leakage test is verified by a line that is open and tripped', async () => {
    await observe(world.db, device.line.id, world.clock.now(), { position: 1 });
    const id = await asks('leak_test');
    await answered(id, { st: 'done', seq: 20 });
    await report(world, device, device.line, { position: 0, trip: 301, seq: 21 });
    await commandBecomes(id, 'verified');
  });
});

describe('several at once', () => {
  test('of two operators who close the same line at once one succeeds, and the other sees who did', async () => {
    const boris = await makeUser(world.db, { role: 3, username: 'boris', projects: [{ id: project }] });
    const other = await world.as(boris.id);
    const both = await Promise.all([
      deviceDo('close'),
      other.call(
        '/device_do/device_do',
        { device_id: device.id, line_id: device.line.id, action: 'close' },
        { 'accept-language': 'en-US' },
      ),
    ]);
    expect(both.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const refused = both.find((one) => one.status === 409)!;
    expect(refused.data.reason).toBe('busy');
    expect(refused.msg).toMatch(both[0].status === 200 ? /anna/ : /boris/);
    await eventually(async () => world.link.publishedTo(device).length === 1);
  });

  test('an open supersedes a close under way, and the close can no longer be verified', async () => {
    const close = await sent('close');
    const open = await sent('open');
    expect(await command(close)).toMatchObject({ state: 'failed', reason: 'superseded' });
    await answer(world, device, close, { st: 'done', seq: 8 });
    await eventually(async () => (await row(close)).late !== null);
    expect((await row(close)).state).toBe('failed');
    const [first, second] = world.link.publishedTo(device).map((one) => one.command);
    expect([first!.id, second!.id]).toEqual([close, open]);
    expect(second!.no).toBeGreaterThan(first!.no);
  });

  test('an open that overtakes an unsent close prevents the close', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.link.trouble = () => held;
    const reset = await deviceDo('read', operator, null);
    const close = await deviceDo('close');
    const open = await deviceDo('open');
    expect([reset.status, close.status, open.status]).toEqual([200, 200, 200]);
    world.link.trouble = null;
    release();
    await commandBecomes(open.data.command_id, 'sent');
    expect(world.link.publishedTo(device).map((one) => one.command.cmd)).toEqual(['read', 'open']);
    expect((await row(close.data.command_id)).sent_at).toBeNull();
  });

  test('the same serial sent twice switches once', async () => {
    const serial = { 'accept-serial': crypto.randomUUID() };
    const body = { device_id: device.id, line_id: device.line.id, action: 'open' };
    const answers = await Promise.all([
      operator.call('/device_do/device_do', body, serial),
      operator.call('/device_do/device_do', body, serial),
    ]);
    expect(answers[0].data.command_id).toBe(answers[1].data.command_id);
    await commandBecomes(answers[0].data.command_id, 'sent');
    expect(world.link.publishedTo(device)).toHaveLength(1);
  });
});

describe('the operation log', () => {
  test('the operation log records who requested each act, and every refusal', async () => {
    const id = await sent('open');
    expect(await deviceDo('open')).toMatchObject({ status: 409 });
    const rows = await world.db
      .selectFrom('operation_log')
      .select(['operator', 'key', 'outcome', 'project_id', 'parameters'])
      .where('device_id', '=', device.id)
      .orderBy('id')
      .execute();
    expect(rows).toMatchObject([
      {
        operator: 'anna',
        key: 'control.command',
        outcome: 'done',
        project_id: project,
        parameters: { action: 'open', command_id: id, line: 1 },
      },
      { outcome: 'refused', parameters: { action: 'open', fault: 'control.busy' } },
    ]);
  });

  test('a command without its log entry is neither written nor sent', async () => {
    await world.db.schema.alterTable('operation_log_head').renameTo('away').execute();
    try {
      expect(await deviceDo('open')).toMatchObject({ status: 500 });
    } finally {
      await world.db.schema.alterTable('away').renameTo('operation_log_head').execute();
    }
    const rows = await world.db
      .selectFrom('commands')
      .select('id')
      .where('device_id', '=', device.id)
      .execute();
    expect(rows).toEqual([]);
    await sent('open');
    expect(world.link.publishedTo(device)).toHaveLength(1);
  });
});

test('a clock that is off by more than a minute is set once per alarm, however many processes learn of it', async () => {
  const alarm = clockAlarm(device, project, 1);
  world.bus.emit('alarms.changed', [{ ...alarm, level: 1 }]);
  world.bus.emit('alarms.changed', [alarm]);
  world.bus.emit('alarms.changed', [alarm]);
  await eventually(async () => world.link.publishedTo(device).length > 0);
  await world.control.settled();
  expect(world.link.publishedTo(device)).toMatchObject([{ command: { cmd: 'time_sync', by: 'u:0' } }]);
  const logged = await world.db
    .selectFrom('operation_log')
    .select(['operator', 'outcome', 'channel', 'request_id'])
    .where('device_id', '=', device.id)
    .execute();
  expect(logged).toEqual([{ operator: 'Ampwatch', outcome: 'done', channel: 'auto', request_id: 'alarm-1' }]);
});
