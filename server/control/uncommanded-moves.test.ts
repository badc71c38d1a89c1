import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PositionCause } from '#contract/telemetry.ts';
import { makeAhead } from '#database/partitions.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { type ControlWorld, commandProbe, createControlWorld } from '#test/control-world.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { makeSwitch, observe, report, type Switch } from '#test/switches.ts';
import { eventually } from '#test/wait.ts';
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

const { deviceDo, commandBecomes, raisedHere, sent, restarted, answered } = commandProbe(() => ({
  world,
  device,
  operator,
}));

describe('moves without a command', () => {
  const move = (
    cause: PositionCause,
    commandId: string | null = null,
    age = 0,
    position: 0 | 1 = 1,
    seq = 1000,
  ) =>
    world.bus.emit('position.changed', [
      {
        lineId: device.line.id,
        deviceId: device.id,
        at: world.clock.now() - age,
        boot: 1,
        seq,
        position,
        cause,
        code: null,
        commandId,
      },
    ]);
  /** The device opens the line, and reports the cause. */
  const opened = (cause: PositionCause, seq: number, code: number | null = null) =>
    world.db
      .insertInto('position_events')
      .values({
        ...{
          line_id: device.line.id,
          at: new Date(world.clock.now()),
          boot: 1,
          seq,
          position: 0,
          cause,
          code,
        },
        ...{ command_id: null, received_at: new Date(world.clock.now()), judged: true },
      })
      .execute();
  const enabled = (en: Record<string, boolean>) =>
    world.db
      .insertInto('device_reported')
      .values({
        device_id: device.id,
        kind: 'cfg',
        received_at: new Date(world.clock.now()),
        payload: JSON.stringify({ v: 1, rev: 1, p: {}, en }),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['device_id', 'kind'])
          .doUpdateSet((row) => ({ payload: row.ref('excluded.payload') })),
      )
      .execute();
  const raised = async () => {
    await world.control.settled();
    const here = raisedHere().map(({ code, value }) => [code, value]);
    world.findings.raised.length = 0;
    return here;
  };
  test('moves by auto-reclose raise alarm 704 after a commanded open, and where auto-reclose is switched off', async () => {
    const open = await sent('open');
    await answered(open, { st: 'done', seq: 30 });
    await report(world, device, device.line, { position: 0, seq: 31 });
    await commandBecomes(open, 'verified');
    world.clock.advance(60_000);
    await enabled({ auto_reclose: true });
    move('reclose', null, 0, 1, 40);
    expect(await raised()).toEqual([[704, 1]]);
    await opened('trip', 50, 102);
    move('reclose', null, 0, 1, 51);
    expect(await raised()).toEqual([]);
    await enabled({ auto_reclose: false });
    move('reclose', null, 0, 1, 52);
    expect(await raised()).toEqual([[704, 1]]);
  });
  test('moves by auto-reclose raise alarm 704 after a trip that forbids it, after an opening by hand, and without a trip', async () => {
    await enabled({ auto_reclose: true });
    for (const [seq, code] of [301, 402, 501].entries()) {
      await opened('trip', 60 + 2 * seq, code);
      move('reclose', null, 0, 1, 61 + 2 * seq);
      expect(await raised()).toEqual([[704, 1]]);
    }
    await opened('manual', 70);
    move('reclose', null, 0, 1, 71);
    expect(await raised()).toEqual([[704, 1]]);
    await opened('trip', 80, 101);
    const open = await sent('open');
    await answered(open, { st: 'done', seq: 81 });
    move('reclose', null, 0, 1, 90);
    expect(await raised()).toEqual([[704, 1]]);
  });
  test('moves by a timer or a quota that is switched off, or by a trip that closed the line, raise alarm 704', async () => {
    await enabled({ timer_en: false, quota_en: false });
    move('timer', null, 0, 1, 100);
    expect(await raised()).toEqual([[704, 1]]);
    move('quota', null, 0, 0, 101);
    expect(await raised()).toEqual([[704, 0]]);
    move('trip', null, 0, 1, 102);
    expect(await raised()).toEqual([[704, 1]]);
    await enabled({ timer_en: true, quota_en: true });
    move('timer', null, 0, 1, 103);
    move('quota', null, 0, 0, 104);
    move('trip', null, 0, 0, 105);
    expect(await raised()).toEqual([]);
  });
  test('moves by hand, or by a command that the server did not send, raise alarm 704', async () => {
    for (const [cause, id] of [
      ['manual', null],
      ['cmd', crypto.randomUUID()],
      ['cmd', null],
    ] as const) {
      world.findings.raised.length = 0;
      move(cause, id);
      await eventually(async () => raisedHere().length === 1);
      expect(raisedHere()).toMatchObject([{ code: 704, active: true, value: 1 }]);
    }
  });

  test('a move that its device attributes to a command without naming it raises alarm 704 only if no command can have caused it', async () => {
    const close = await sent('close');
    await answered(close, { st: 'done', seq: 9 });
    move('cmd', null, 0, 1, 10);
    await report(world, device, device.line, { position: 1, seq: 11 });
    await commandBecomes(close, 'verified');
    await world.control.settled();
    expect(raisedHere()).toEqual([]);

    world.clock.advance(4000);
    move('cmd', null, 0, 0, 20);
    move('cmd', null, 0, 1, 21);
    await eventually(async () => raisedHere().length === 2);
    expect(raisedHere()).toMatchObject([
      { code: 704, active: true, value: 0 },
      { code: 704, active: true, value: 1 },
    ]);
  });

  test('moves by a command for another line, or for the opposite position, raise alarm 704', async () => {
    const other = await makeSwitch(world, project);
    const foreign = (
      await operator.call('/device_do/device_do', {
        device_id: other.id,
        line_id: other.line.id,
        action: 'close',
      })
    ).data.command_id;
    await commandBecomes(foreign, 'sent');
    const opposite = await sent('open');
    for (const id of [foreign, opposite]) {
      world.findings.raised.length = 0;
      move('cmd', id);
      await eventually(async () => raisedHere().length === 1);
      expect(raisedHere()).toMatchObject([{ code: 704, active: true, value: 1 }]);
    }
  });

  test('moves by a command that moves nothing, or that ended long ago, raise alarm 704', async () => {
    const asked = await deviceDo('read', operator, null);
    await commandBecomes(asked.data.command_id, 'sent');
    move('cmd', asked.data.command_id);
    await eventually(async () => raisedHere().length === 1);
    world.findings.raised.length = 0;

    const close = await sent('close');
    move('cmd', close);
    await answered(close, { st: 'done', seq: 9 });
    await report(world, device, device.line, { position: 1, seq: 10 });
    await commandBecomes(close, 'verified');
    expect(raisedHere()).toEqual([]);
    world.clock.advance(120_000);
    move('cmd', close);
    await eventually(async () => raisedHere().length === 1);
    expect(raisedHere()).toMatchObject([{ code: 704, active: true, value: 1 }]);
  });

  test('moves that the device does not explain within 2 s raise alarm 704', async () => {
    const reads = (position: 0 | 1, more: object = {}) =>
      report(world, device, device.line, { position, ...more });
    await reads(0);
    world.clock.advance(10_000);
    await reads(1);
    expect(raisedHere()).toEqual([]);
    world.clock.advance(2000);
    await eventually(async () => raisedHere().length === 1);
    expect(raisedHere()).toMatchObject([{ code: 704, active: true, value: 1 }]);
  });

  test('a command or a trip explains a move; an event from a time without readings does not', async () => {
    const reads = (position: 0 | 1, more: object = {}) =>
      report(world, device, device.line, { position, ...more });
    const settles = async () => {
      world.clock.advance(2000);
      await world.control.settled();
    };
    await reads(0);
    await sent('close');
    await reads(1);
    await settles();
    world.clock.advance(10_000);
    await reads(0, { trip: 301 });
    await settles();
    world.clock.advance(3_600_000);
    await reads(1);
    await settles();
    expect(raisedHere()).toEqual([]);
  });

  test('a contact that closes again after a verified open raises alarm 704, although a close was requested', async () => {
    const on = { 'U.a': 229, 'I.a': 3 };
    const close = await sent('close');
    await answered(close, { st: 'done', seq: 20 });
    await report(world, device, device.line, { position: 1, seq: 21, values: on });
    await commandBecomes(close, 'verified');
    world.clock.advance(4000);
    const open = await sent('open');
    await answered(open, { st: 'done', seq: 30 });
    await report(world, device, device.line, { position: 0, seq: 31 });
    await commandBecomes(open, 'verified');
    world.clock.advance(2000);
    await world.control.settled();
    expect(raisedHere()).toEqual([]);
    for (const seq of [40, 50]) {
      world.clock.advance(1000);
      await report(world, device, device.line, { position: seq === 40 ? 1 : 0, seq, values: on });
    }
    world.clock.advance(2000);
    await world.control.settled();
    expect(raisedHere()).toMatchObject([
      { code: 704, active: true, value: 1 },
      { code: 704, active: true, value: 0 },
    ]);
  });

  test('moves that a killed server had not judged are judged at its next start', async () => {
    const at = new Date(world.clock.now());
    await world.db
      .insertInto('position_events')
      .values({
        ...{ line_id: device.line.id, at, boot: 1, seq: 60, position: 1, cause: 'manual', code: null },
        ...{ command_id: null, received_at: at },
      })
      .execute();
    const silent = await makeSwitch(world, project);
    await world.db
      .insertInto('judged_positions')
      .values({ line_id: silent.line.id, position: 0, at, boot: 1, seq: 1 })
      .execute();
    await world.db
      .insertInto('readings')
      .values({
        ...{ line_id: silent.line.id, at, boot: 1, seq: 2, sent_ms: null, rx_ms: 0, position: 0, trip: 0 },
        ...{ lock: 0, flags: null, energy: null, channels: [] },
      })
      .execute();
    world.clock.advance(60_000);
    await observe(world.db, silent.line.id, world.clock.now(), { position: 1, seq: 3 });
    await restarted();
    const raisedOn = () =>
      world.findings.raised
        .filter(({ line }) => line.deviceId === device.id || line.deviceId === silent.id)
        .map(({ line, code }) => [line.lineId, code]);
    const raised = [
      [device.line.id, 704],
      [silent.line.id, 704],
    ];
    expect(raisedOn()).toEqual(raised);
    await restarted();
    expect(raisedOn()).toEqual(raised);
  });

  test('moves explained by a trip or a timer raise no alarm, nor do moves of an hour ago', async () => {
    move('trip', null, 0, 0);
    move('timer');
    move('manual', null, 3_600_000);
    const id = await sent('open');
    await commandBecomes(id, 'sent');
    expect(raisedHere()).toEqual([]);
  });

  test('a verified command ends an earlier mismatch alarm', async () => {
    await makeAlarm(
      world.pool,
      { id: device.id, project_id: project, part_id: null, lines: [device.line] },
      { at: world.clock.now(), code: 703, severity: 2, valueType: 10 },
    );
    const id = await sent('open');
    await answered(id, { st: 'done', seq: 9 });
    await report(world, device, device.line, { position: 0, seq: 10 });
    await eventually(async () => raisedHere().length === 1);
    expect(raisedHere()).toMatchObject([{ code: 703, active: false }]);
  });
});
