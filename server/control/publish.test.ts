import { setTimeout as wait } from 'node:timers/promises';
import mqtt from 'mqtt';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import { makeAhead } from '#database/partitions.ts';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import { deviceSettingsRoutes } from '#server/device-settings/settings.routes.ts';
import { type Link, startLink } from '#server/link/link.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { tagRoutes } from '#server/tags/tags.routes.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { createWorld, type World } from '#test/world.ts';
import { type Control, createControl } from './commands.ts';
import { controlRoutes } from './control.routes.ts';

let world: World;
let link: Link;
let control: Control;
let project: number;
/** Device numbers of the closes given to the broker, in order. */
const published: string[] = [];
/** Runs between the decision and the message. */
let before = async (): Promise<void> => {};

beforeAll(async () => {
  let bind: Control | undefined;
  const log = pino({ level: 'silent' });
  world = await createWorld((serve, parts) => {
    bind = createControl({
      ...parts,
      link: {
        publishCommand: async (number, command) => {
          await before();
          published.push(number);
          return link.deviceLink.publishCommand(number, command);
        },
      },
      raiseFinding: async () => {},
      log,
    });
    controlRoutes(serve, { control: bind, provePassword });
    deviceSettingsRoutes(serve, { provePassword });
    tagRoutes(serve, { provePassword });
  });
  control = bind!;
  const { pool, bus, clock } = world;
  await makeAhead(pool, clock.now());
  const judge = createAlarmRecorder();
  await judge.load(pool);
  const config = { mqttHost: '127.0.0.1', mqttPort: 0 };
  link = await startLink({ pool, bus, clock, judge, log, config });
  await control.start();
  project = (await makeProject(world.db)).id;
});
afterAll(async () => {
  await control.stop();
  await link.stop();
  await world.close();
});

/** A switch that is connected and reports an open, healthy line; records its messages in order. */
const connect = async () => {
  // The clock advances, because calls and connections are rate-limited.
  world.clock.advance(60_000);
  const device = await makeDevice(world.db, { project_id: project });
  const { number, secret } = device;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${link.port}`, {
    clientId: number,
    username: number,
    password: secret,
    reconnectPeriod: 0,
  });
  const order: string[] = [];
  client.on('message', (_topic, payload) => order.push(JSON.parse(payload.toString()).cmd));
  await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
  let seq = 0;
  const send = (topic: UpTopic, message: object) =>
    new Promise<void>((resolve, reject) => {
      seq += 1;
      const text = JSON.stringify({ v: 1, boot: 1, seq, t: world.clock.now(), ...message });
      client.publish(topicOf(number, topic), text, { qos: 1 }, (error) => {
        order.push('acknowledged');
        if (error) reject(error);
        else resolve();
      });
    });
  const reading = (line: object = {}) =>
    send('tele', {
      ln: [{ n: 1, sw: 0, trip: 0, lock: 0, U: { a: 230 }, I: { a: 0 }, P: { t: 0 }, ...line }],
    });
  await reading();
  order.length = 0;
  return { device, line: device.lines[0]!, client, order, send, reading };
};
type Connected = Awaited<ReturnType<typeof connect>>;

const raise = { eid: '1-1', kind: 'alarm', st: 'raise', code: 501, lvl: 2, n: 1, val: 20, thr: 14 };
const reported: Record<string, (one: Connected) => Promise<unknown>> = {
  'an alarm of level 2': ({ send }) => send('event', raise),
  'a trip': ({ reading }) => reading({ trip: 301 }),
  'a lock': ({ reading }) => reading({ lock: 2 }),
  'a bad supply': ({ reading }) => reading({ U: { a: 170 } }),
  'its leaving': ({ send }) => send('presence', { on: false }),
  'remote control disabled': ({ send }) => send('cfg', { rev: 2, p: {}, en: { net_ctrl: false } }),
};
const trials = 12;
/**
 * Requests a close and makes a change that forbids it. In the first run the change is finished before the
 * request; in later runs it comes shortly before or after, in turn.
 */
const race = async (forbid: (one: Connected) => Promise<unknown>, trial: number) => {
  const one = await connect();
  const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
  const operator = await world.as(user.id);
  const ask = () =>
    operator.call('/device_do/device_do', {
      device_id: one.device.id,
      line_id: one.line.id,
      action: 'close',
    });
  const isBefore = trial % 2 === 0;
  const forbidden = isBefore ? forbid(one) : undefined;
  if (trial === 0) await forbidden;
  else if (isBefore) await wait(trial * 5);
  const asked = ask();
  if (!isBefore) await wait((trial * 7) % 80);
  await (forbidden ?? forbid(one));
  const answer = await asked;
  // The close was sent, refused, or out of the operator's scope; never rate-limited.
  expect([200, 404, 409]).toContain(answer.status);
  if (answer.status === 200)
    await eventually(async () => {
      const row = await world.db
        .selectFrom('commands')
        .select('state')
        .where('id', '=', answer.data.command_id)
        .executeTakeFirstOrThrow();
      return row.state !== 'created';
    });
  await control.settled();
  return { one, operator };
};

test.each(Object.entries(reported))(
  'a device whose report of %s was acknowledged receives no close after it',
  async (_name, forbid) => {
    let received = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const { one } = await race(forbid, trial);
      // Everything that the broker sent before the acknowledgement has arrived by then.
      await one.send('tele', { ln: [] }).catch(() => {});
      const [first] = [one.order.indexOf('acknowledged')];
      expect(one.order.slice(first)).not.toContain('close');
      if (one.order.includes('close')) received += 1;
      one.client.end(true);
    }
    // In the first run the change was finished before the close, so at least one close was refused.
    expect(received).toBeLessThan(trials);
  },
);

const called: Record<string, (one: Connected) => Promise<unknown>> = {
  'remote control was disabled': async ({ device }) => {
    const chief = await world.as((await makeUser(world.db, { role: 1 })).id);
    return chief.call('/device_do/setDeviceEnableNetCtrl', { device_id: device.id, enabled: false });
  },
  'a lock-out tag was set': async ({ line }) => {
    const warden = await world.as((await makeUser(world.db, { role: 1 })).id);
    return warden.call('/lockout_tag/add_tag', { line_id: line.id, reason: 'Busbar work' });
  },
  'the device was unbound': ({ device }) =>
    world.db.updateTable('devices').set({ project_id: null }).where('id', '=', device.id).execute(),
};
test.each(Object.entries(called))('no close is published after %s', async (_name, forbid) => {
  for (let trial = 0; trial < trials; trial += 1) {
    let publishedBefore = -1;
    const { one } = await race(async (connected) => {
      await forbid(connected);
      publishedBefore = published.filter((number) => number === connected.device.number).length;
    }, trial);
    expect(published.filter((number) => number === one.device.number)).toHaveLength(publishedBefore);
    one.client.end(true);
  }
});

describe('reported while a close is on its way to the broker:', () => {
  /** Shorter than the time for which a close locks the facts. */
  const onItsWayMs = 100;
  let onItsWay = (): Promise<void> => wait(onItsWayMs);
  const during = async (forbid: (one: Connected) => Promise<unknown>) => {
    const one = await connect();
    const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
    const operator = await world.as(user.id);
    const decided = Promise.withResolvers<void>();
    before = async () => {
      decided.resolve();
      await onItsWay();
    };
    const body = { device_id: one.device.id, line_id: one.line.id, action: 'close' };
    const asked = operator.call('/device_do/device_do', body);
    await Promise.race([decided.promise, asked.then((answer) => expect(answer.status).toBe(200))]);
    await decided.promise;
    await forbid(one);
    const publishedFirst = published.includes(one.device.number);
    await asked;
    await control.settled();
    before = async () => {};
    one.client.end(true);
    return { order: one.order, publishedFirst };
  };

  test.each(Object.entries(reported))('%s is acknowledged after the close', async (_name, forbid) => {
    const { order } = await during(forbid);
    expect(order.slice(0, 2)).toEqual(['close', 'acknowledged']);
  });

  test('an alarm is acknowledged after the close even if the process gets little processor time', async () => {
    onItsWay = async () => {
      for (let turn = 0; turn < 30; turn += 1) {
        for (const end = performance.now() + 30; performance.now() < end; );
        await wait(0);
      }
    };
    const { order } = await during(({ send }) => send('event', raise));
    onItsWay = () => wait(onItsWayMs);
    expect(order.slice(0, 2)).toEqual(['close', 'acknowledged']);
  });

  test.each(Object.entries(called))(
    'a change (%s) during the publishing of a close is answered after the close',
    async (_name, forbid) => {
      expect((await during(forbid)).publishedFirst).toBe(true);
    },
  );
});

test('no close is published after its operator was disabled', async () => {
  for (let trial = 0; trial < trials; trial += 1) {
    const one = await connect();
    const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
    const operator = await world.as(user.id);
    const body = { device_id: one.device.id, line_id: one.line.id, action: 'close' };
    const asked = operator.call('/device_do/device_do', body);
    await wait((trial * 7) % 80);
    await world.db.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
    const count = () => published.filter((number) => number === one.device.number).length;
    const publishedBefore = count();
    await asked;
    await control.settled();
    expect(count()).toBe(publishedBefore);
    one.client.end(true);
  }
});
