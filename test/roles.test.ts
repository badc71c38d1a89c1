import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { createFleet } from '#simulator/fleet.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { type EventStream, listenTo } from './event-stream.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { findMosquitto, type Mosquitto, startMosquitto } from './mosquitto.ts';
import { patienceMs } from './patience.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const limitMs = 5 * patienceMs;
const binary = findMosquitto();
type Device = Awaited<ReturnType<typeof makeDevice>>;

describe.skipIf(!binary)(
  `nodes of one role each${binary ? '' : ' (skipped: mosquitto is not installed and cannot be)'}`,
  { timeout: limitMs },
  () => {
    let database: TestDatabase;
    let db: Db;
    let broker: Mosquitto;
    const nodes: ServerProcess[] = [];
    let link: ServerProcess;
    let url: string;
    let token: string;
    let alarming: Device;
    let switched: Device;
    let fleet: ReturnType<typeof createFleet>;
    let live: EventStream;
    let seq = 0;

    const startNode = async (role: string) => {
      const node = await startServer({
        ROLE: role,
        DATABASE_URL: database.url,
        DATABASE_APP_URL: database.appUrl,
        MQTT_URL: broker.url,
      });
      nodes.push(node);
      return node;
    };
    /** The device reports that an overload began three seconds ago, or has ended. */
    const send = async (state: 'raise' | 'clear', eventId: string) => {
      const client = await mqtt.connectAsync(broker.url, { clientId: alarming.number });
      seq += 1;
      await client.publishAsync(
        topicOf(alarming.number, 'event'),
        JSON.stringify({
          ...{ v: 1, boot: 1, seq, eid: eventId, kind: 'alarm', st: state },
          t: Date.now() - (state === 'raise' ? 3_000 : 0),
          ...{ code: 201, lvl: 2, n: 1, val: 52.1, thr: 44, unit: 'A' },
        }),
        { qos: 1 },
      );
      await client.endAsync();
    };
    const alarmOf =
      (kind: string) => (event: { name: string; data: { kind?: string; device_id?: number } }) =>
        event.name.startsWith('alarm') && event.data.kind === kind && event.data.device_id === alarming.id;

    beforeAll(async () => {
      database = await freshDatabase();
      db = connect(connectPool(database.url, 4));
      broker = await startMosquitto(binary!);
      const web = await startNode('web');
      link = await startNode('link');
      url = /ready after .*?(http:\S+)/.exec(web.said)?.[1] ?? '';
      const project = await makeProject(db);
      alarming = await makeDevice(db, { project_id: project.id });
      switched = await makeDevice(db, { project_id: project.id, type: 3 });
      const user = await makeUser(db, { role: 1 });
      ({ token } = await openSession(db, user.id, Date.now(), { address: '127.0.0.1', agent: 'test' }));
      live = await listenTo(`${url}/live?device=${switched.id}`, token);
      fleet = createFleet({
        brokerUrl: broker.url,
        seed: 1,
        devices: [
          {
            number: switched.number,
            secret: switched.secret,
            type: 3,
            lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office', position: 0 }],
            nominalVoltage: 220,
            projectKey: 'one',
            tele_s: 5,
          },
        ],
      });
      fleet.start();
    }, limitMs);
    afterAll(async () => {
      live?.close();
      await fleet?.stop();
      for (const node of nodes)
        if (node.process.exitCode === null && node.process.signalCode === null) await node.stop();
      await broker?.stop();
      await db?.destroy();
      await database?.drop();
    }, limitMs);

    it('a node that serves the console accepts no device, one with the device link serves no console', () => {
      expect(url).toMatch(/^http:/);
      expect(link.said).toContain(`the role 'link'`);
      expect(link.said).not.toContain('http:');
    });

    it('a device report at the link node appears on the console of another node', async () => {
      await send('raise', 'first');
      await live.hears(alarmOf('raised'));
      await send('clear', 'first');
      await live.hears(alarmOf('cleared'));
      await live.hears(({ name, data }) => name === 'reading' && data.device_id === switched.id);
    });

    it('a line switched at one node is verified by the other', async () => {
      const [line] = switched.lines;
      const answer = await fetch(`${url}/device_do/device_do`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify({
          device_id: switched.id,
          line_id: line!.id,
          action: 'close',
          password: 'abc12345',
        }),
      });
      const { data, ...rest } = (await answer.json()) as { data: { command_id: string } | null };
      expect(rest).toMatchObject({ code: 200 });
      const end = await live.hears(
        (event) =>
          event.name === 'command' &&
          event.data.command_id === data?.command_id &&
          !['created', 'sent', 'acknowledged'].includes(event.data.state),
      );
      expect(end.data.state).toBe('verified');
    });

    it('another node takes the device link over when the first is killed', async () => {
      await startNode('link');
      await send('raise', 'second');
      await live.hears((event) => alarmOf('raised')(event) && event !== live.events.find(alarmOf('raised')));
      await link.stop('SIGKILL');
      await send('clear', 'second');
      await live.hears(
        (event) => alarmOf('cleared')(event) && event !== live.events.find(alarmOf('cleared')),
      );
      const standing = await db.selectFrom('alarms').select('id').where('cleared_at', 'is', null).execute();
      expect(standing).toEqual([]);
    });

    it('a node of one role names the variables that it lacks', async () => {
      await expect(startServer({ ROLE: 'link', DATABASE_URL: database.url })).rejects.toThrow(
        /needs MQTT_URL/,
      );
      await expect(startServer({ ROLE: 'web', MQTT_URL: broker.url })).rejects.toThrow(/needs DATABASE_URL/);
    });
  },
);
