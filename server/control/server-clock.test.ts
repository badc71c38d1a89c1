import mqtt from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CmdMessage, topicOf } from '#contract/telemetry.ts';
import { makeDevice, makeUser } from '#test/factories.ts';
import { becomes, eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';
import { createSwitchWorld, type SwitchWorld } from './control.world.ts';

let world: SwitchWorld;
let operator: Client;
beforeAll(async () => {
  world = await createSwitchWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.clock.advance(120_000); // calls and connections are rate-limited
  const user = await makeUser(world.db, { role: 3, projects: [{ id: world.project }] });
  operator = await world.as(user.id);
});

/**
 * A switch with a clock of its own, which no step of the server's clock moves; it reports every five minutes.
 * `behindMs`: by how much its clock is behind; `silent`: it connects and does not report yet.
 */
const connect = async ({
  behindMs = 0,
  silent = false,
  again,
}: {
  behindMs?: number;
  silent?: boolean;
  again?: Awaited<ReturnType<typeof makeDevice>>;
} = {}) => {
  const device = again ?? (await makeDevice(world.db, { project_id: world.project }));
  await world.db.updateTable('devices').set({ upload_seconds: 300 }).where('id', '=', device.id).execute();
  const { number, secret } = device;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.port}`, {
    ...{ clientId: number, username: number, password: secret, reconnectPeriod: 0 },
  });
  let offset = world.clock.now() - world.clock.steady() - behindMs;
  const ownTime = () => world.clock.steady() + offset;
  const received: CmdMessage[] = [];
  client.on('message', (_topic, payload) => received.push(JSON.parse(payload.toString())));
  await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
  const boot = again ? 2 : 1;
  let seq = 0;
  const reading = async (line: object = {}, lateMs = 0) => {
    seq += 1;
    const ln = [{ n: 1, sw: 0, trip: 0, lock: 0, U: { a: 230 }, I: { a: 0 }, P: { t: 0 }, ...line }];
    const text = JSON.stringify({ v: 1, boot, seq, t: ownTime() - lateMs, ln });
    await client.publishAsync(topicOf(number, 'tele'), text, { qos: 1 });
  };
  const line = device.lines[0]!;
  const ask = (action: 'open' | 'close' | 'time_sync') =>
    operator.call('/device_do/device_do', {
      ...{ device_id: device.id, line_id: action === 'time_sync' ? null : line.id, action },
    });
  const setClock = (ms: number) => {
    offset += ms;
  };
  const answers = async (id: string) => {
    seq += 1;
    const text = JSON.stringify({ v: 1, id, boot, seq, t: ownTime(), st: 'done' });
    await client.publishAsync(topicOf(number, 'ack'), text, { qos: 1 });
    await eventually(async () => (await rowOf(id)).ended_at);
  };
  const rowOf = async (id: string) =>
    world.db.selectFrom('commands').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  /** Asks, and waits until the message was sent or the command ended. */
  const switched = async (action: 'open' | 'close') => {
    const answer = await ask(action);
    if (answer.code !== 200) return { refused: answer.data?.reason, row: null };
    const row = await eventually(async () => {
      const now = await rowOf(answer.data.command_id);
      return now.state !== 'created' && now;
    });
    return { refused: row.state === 'failed' ? row.reason : null, row };
  };
  if (!silent) await reading();
  const leave = () => client.endAsync();
  return { device, line, reading, ask, rowOf, switched, received, ownTime, setClock, answers, leave };
};
type Connected = Awaited<ReturnType<typeof connect>>;
/** The link looks at its clock every second. */
const noted = async ({ device }: Connected, unknown: boolean) => {
  world.clock.advance(1_000);
  await eventually(async () => {
    const state = await world.db
      .selectFrom('device_state')
      .select('clock_unknown')
      .where('device_id', '=', device.id)
      .executeTakeFirst();
    return (state?.clock_unknown ?? false) === unknown;
  });
};
const lifeMs = 30_000;

describe('the server clock is set while it runs', () => {
  const steps = [
    ['forward', 100_000],
    ['back', -100_000],
  ] as const;
  it.each(steps)(
    'no close is sent after a step %s until the device reports again, at once and later',
    async (_way, ms) => {
      const one = await connect();
      world.clock.step(ms);
      expect((await one.switched('close')).refused).toBe('stale');
      await noted(one, true);
      expect((await one.switched('close')).refused).toBe('stale');
      expect(one.received).toEqual([]);
      await one.reading();
      await noted(one, false);
      world.clock.advance(5_000);
      const { refused, row } = await one.switched('close');
      expect(refused).toBeNull();
      expect(row?.state).toBe('sent');
      const message = await eventually(async () => one.received.at(-1));
      expect(message).toMatchObject({ cmd: 'close' });
      expect(message.exp - one.ownTime()).toBe(lifeMs);
    },
  );

  it.each(steps)('an open after a step %s reaches the device before it expires there', async (_way, ms) => {
    const one = await connect();
    world.clock.step(ms);
    expect((await one.switched('open')).refused).toBeNull();
    const message = await eventually(async () => one.received.at(-1));
    expect(message.exp).toBeGreaterThanOrEqual(one.ownTime() + lifeMs);
  });

  it('a close under way whose time is over only by the clock that was set ends as unknown', async () => {
    const one = await connect();
    const { row } = await one.switched('close');
    expect(row?.state).toBe('sent');
    world.clock.step(3_600_000);
    world.clock.advance(10_000);
    const ended = await eventually(async () => {
      const now = await one.rowOf(row!.id);
      return now.ended_at && now;
    });
    expect(ended.state).toBe('unknown');
  });

  it('a password does not become recent again by a step back', async () => {
    const one = await connect();
    const givenAt = new Date(world.clock.now() - 1_800_000);
    await world.db.updateTable('sessions').set({ authenticated_at: givenAt }).execute();
    world.clock.step(-1_740_000);
    await noted(one, true);
    await one.reading();
    await noted(one, false);
    world.clock.advance(5_000);
    expect((await one.switched('close')).refused).toBe('password_needed');
  });

  it('the pause between two operations does not grow with a step back', async () => {
    const one = await connect();
    const { row } = await one.switched('open');
    world.clock.advance(40_000);
    await eventually(async () => (await one.rowOf(row!.id)).ended_at);
    world.clock.step(-7_200_000);
    expect((await one.switched('close')).refused).toBe('stale');
    await one.reading();
    await noted(one, false);
    world.clock.advance(5_000);
    // The time of the password is from before the step until the link has noted it.
    await becomes(async () => (await one.switched('close')).refused, null);
  });
});

describe('a device whose clock is behind', () => {
  const close = async (one: Connected) => {
    expect((await one.switched('close')).refused).toBeNull();
    return eventually(async () => one.received.at(-1));
  };

  it.each([4_000, 40_000, 200_000])(
    'does not obey a close later than its limit, right after its first report: %i ms',
    async (behindMs) => {
      const one = await connect({ behindMs });
      const message = await close(one);
      expect(message.exp - one.ownTime()).toBe(lifeMs);
    },
  );

  it('does not obey a close later than its limit after its clock stood still without power', async () => {
    const before = await connect();
    for (let round = 0; round < 5; round += 1) {
      world.clock.advance(60_000);
      await before.reading();
    }
    await before.leave();
    world.clock.advance(600_000);
    const one = await connect({ behindMs: 500_000, again: before.device });
    const message = await close(one);
    expect(message.exp - one.ownTime()).toBe(lifeMs);
  });

  it('gets nothing that closes a line on a new connection until it has reported', async () => {
    const before = await connect();
    // The server does not notice that the device lost its power.
    const one = await connect({ behindMs: 100_000, again: before.device, silent: true });
    expect((await one.switched('close')).refused).toBe('stale');
    expect((await one.switched('open')).refused).toBeNull();
    world.clock.advance(40_000);
    await one.reading();
    const message = await close(one);
    expect(message.exp - one.ownTime()).toBe(lifeMs);
    await before.leave();
  });

  it('does not obey a close later than its limit after its clock was set back by less than an interval', async () => {
    const one = await connect();
    for (let round = 0; round < 3; round += 1) {
      world.clock.advance(60_000);
      await one.reading();
    }
    one.setClock(-40_000);
    world.clock.advance(60_000);
    await one.reading();
    const message = await close(one);
    expect(message.exp - one.ownTime()).toBe(lifeMs);
  });

  it('does not obey a close later than its limit after the server had its clock set back', async () => {
    const one = await connect({ behindMs: -40_000 });
    world.clock.advance(60_000);
    await one.reading();
    const { data } = await one.ask('time_sync');
    await eventually(async () => one.received.length > 0);
    expect((await one.switched('close')).refused).toBe('busy');
    one.setClock(-40_000);
    await one.answers(data.command_id);
    const message = await close(one);
    expect(message.cmd).toBe('close');
    expect(message.exp - one.ownTime()).toBe(lifeMs);
  });

  it('gets an open that it does not take for expired because its messages were late', async () => {
    const one = await connect();
    world.clock.advance(40_000);
    await one.reading({}, 35_000);
    expect((await one.switched('open')).refused).toBeNull();
    const message = await eventually(async () => one.received.at(-1));
    expect(message.exp - one.ownTime()).toBeGreaterThanOrEqual(lifeMs);
  });
});
