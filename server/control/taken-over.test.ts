import mqtt from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CmdMessage, topicOf } from '#contract/telemetry.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';
import { createSwitchWorld, type SwitchWorld } from './control.world.ts';

let world: SwitchWorld;
let admin: Client;
beforeAll(async () => {
  world = await createSwitchWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.clock.advance(120_000); // calls and connections are rate-limited
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});

/** `aheadMs`: by how much the clock of the equipment is fast. */
const connect = async (number: string, secret: string, aheadMs = 0) => {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.port}`, {
    ...{ clientId: number, username: number, password: secret, reconnectPeriod: 0 },
  });
  const received: CmdMessage[] = [];
  let isGone = false;
  client.on('message', (_topic, payload) => received.push(JSON.parse(payload.toString())));
  client.on('close', () => {
    isGone = true;
  });
  await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
  let seq = 0;
  const send = (topic: 'tele' | 'ack' | 'event', message: object) => {
    seq += 1;
    const text = JSON.stringify({ v: 1, boot: 1, seq, t: world.clock.now() + aheadMs, ...message });
    return client.publishAsync(topicOf(number, topic), text, { qos: 1 });
  };
  const reading = (line: object = {}) =>
    send('tele', {
      ln: [{ n: 1, sw: 0, trip: 0, lock: 0, U: { a: 230 }, I: { a: 0 }, P: { t: 0 }, ...line }],
    });
  return { received, send, reading, isGone: () => isGone };
};
const closed = { sw: 1, I: { a: 5 }, P: { t: 1150 } };
const rowOf = (id: string) =>
  world.db.selectFrom('commands').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A switch of one owner, and another owner who gets its number. */
const stage = async (aheadMs = 0) => {
  const device = await makeDevice(world.db, { project_id: world.project });
  const old = await connect(device.number, device.secret, aheadMs);
  await old.reading();
  const seller = await makeUser(world.db, { role: 3, projects: [{ id: world.project }] });
  const before = await world.as(seller.id);
  const project = await makeProject(world.db);
  const after = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  const close = () =>
    before.call('/device_do/device_do', {
      ...{ device_id: device.id, line_id: device.lines[0]!.id, action: 'close' },
    });
  const takeOver = async () => {
    expect((await admin.call('/device/del_device', { device_ids: [device.id] })).code).toBe(200);
    const { data } = await admin.call('/device/add_device', {
      ...{ number: device.number, name: 'Board', type: 3, project_id: project.id },
    });
    return { id: data.device_id as number, secret: data.secret as string };
  };
  return { device, old, after, close, takeOver };
};

describe('a number that another owner gets in mid-command', () => {
  it.each(['sent', 'acknowledged'])(
    'proves no command that is %s, and shows it to nobody new',
    async (state) => {
      const { device, old, after, close, takeOver } = await stage();
      const { data } = await close();
      const command = await eventually(async () => old.received.at(-1));
      if (state === 'acknowledged') await old.send('ack', { id: command.id, st: 'accepted', n: 1 });
      await eventually(async () => (await rowOf(data.command_id)).state === state);
      const taken = await takeOver();
      await eventually(async () => old.isGone());
      const fresh = await connect(device.number, taken.secret);
      await fresh.send('ack', { id: command.id, st: 'done', n: 1, sw: 1 });
      await fresh.send('event', { eid: '1-9', kind: 'pos', n: 1, sw: 1, by: 'cmd', id: command.id });
      world.clock.advance(7_000);
      await fresh.reading(closed);
      world.clock.advance(60_000);
      const row = await eventually(async () => {
        const now = await rowOf(data.command_id);
        return now.ended_at && now;
      });
      expect(row.state).toBe(state === 'sent' ? 'expired' : 'unknown');
      expect(row.evidence).toMatchObject({ position: 0 }); // of the former device
      expect(fresh.received).toEqual([]);
      expect((await after.call('/device_do/get_command', { command_id: data.command_id })).status).toBe(404);
      const log = await after.call('/device_log/get_list', { device_id: taken.id });
      expect(JSON.stringify(log.data)).not.toContain(data.command_id);
    },
  );

  it('a new secret ends what is under way: the equipment that gets it proves nothing', async () => {
    const { device, old, close } = await stage();
    const { data } = await close();
    const command = await eventually(async () => old.received.at(-1));
    await old.send('ack', { id: command.id, st: 'accepted', n: 1 });
    await eventually(async () => (await rowOf(data.command_id)).state === 'acknowledged');
    const reset = await admin.call('/device/reset_secret', { device_id: device.id });
    const fresh = await eventually(() => connect(device.number, reset.data.secret).catch(() => null));
    await fresh.send('ack', { id: command.id, st: 'done', n: 1, sw: 1 });
    world.clock.advance(7_000);
    await fresh.reading(closed);
    world.clock.advance(60_000);
    await eventually(async () => (await rowOf(data.command_id)).ended_at !== null);
    expect(await rowOf(data.command_id)).toMatchObject({ state: 'unknown', reason: null });
  });

  it('gets no close that was asked of the former device', async () => {
    for (let trial = 0; trial < 6; trial += 1) {
      world.clock.advance(60_000);
      const { device, close, takeOver } = await stage();
      const [answer, taken] = await Promise.all([close(), takeOver()]);
      const fresh = await connect(device.number, taken.secret);
      world.clock.advance(60_000);
      if (answer.code === 200)
        await eventually(async () => (await rowOf(answer.data.command_id)).ended_at !== null);
      else expect(answer.status).toBe(404);
      await fresh.reading();
      expect(fresh.received).toEqual([]);
    }
  });
});

type Close = Awaited<ReturnType<typeof stage>>['close'];

describe('equipment that gets a new secret', () => {
  /** A switch whose equipment was replaced after its last report; the former one's clock is `aheadMs` fast. */
  const replaced = async (aheadMs = 0) => {
    const { device, old, close } = await stage(aheadMs);
    for (let told = 0; told < 8; told += 1) {
      world.clock.advance(10_000);
      await old.reading();
    }
    const { data } = await admin.call('/device/reset_secret', { device_id: device.id });
    await eventually(async () => old.isGone());
    const fresh = await connect(device.number, data.secret);
    return { ...{ device, old, close, fresh }, line: device.lines[0]! };
  };
  const refusal = async (close: Close) => (await close()).data.reason;

  /** The link writes clocks every second. */
  const accepted = async (close: Close) => {
    world.clock.advance(2_000);
    return eventually(async () => {
      const answer = await close();
      return answer.code === 200 && answer;
    });
  };

  it('is not closed by the facts of the former equipment, only by its own', async () => {
    const { fresh, close } = await replaced();
    expect(await refusal(close)).toBe('stale');
    await fresh.send('event', { eid: '1-1', kind: 'pos', n: 1, sw: 0, by: 'local' });
    world.clock.advance(6_000);
    expect(await refusal(close)).toBe('stale');
    world.clock.advance(60_000); // the pause after a move
    await fresh.reading();
    const { data } = await accepted(close);
    await eventually(async () => (await rowOf(data.command_id)).state === 'sent');
    expect(fresh.received).toMatchObject([{ cmd: 'close' }]);
  });

  it('a report that lacks a fact does not lend it the former equipment’s value', async () => {
    for (const lacking of [{ sw: undefined }, { trip: undefined }, { lock: undefined }]) {
      world.clock.advance(60_000);
      const { fresh, close } = await replaced();
      await fresh.reading(lacking);
      expect(await refusal(close)).toBe('stale');
    }
  });

  it('is opened at any time', async () => {
    const { fresh, device, line } = await replaced();
    const { code, data } = await admin.call('/device_do/device_do', {
      ...{ device_id: device.id, line_id: line.id, action: 'open' },
    });
    expect(code).toBe(200);
    await eventually(async () => (await rowOf(data.command_id)).state === 'sent');
    expect(await eventually(async () => fresh.received.at(-1))).toMatchObject({ cmd: 'open' });
  });

  it('does not obey a close too late because the former equipment’s clock was fast', async () => {
    const { fresh, close } = await replaced(100_000);
    await fresh.reading();
    const { data } = await accepted(close);
    const message = await eventually(async () => fresh.received.at(-1));
    const row = await rowOf(data.command_id);
    expect(message.exp).toBe(row.expires_at.getTime());
  });
});
