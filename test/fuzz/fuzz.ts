import http from 'node:http';
import { sql } from 'kysely';
import mqtt, { type MqttClient } from 'mqtt';
import { topicOf } from '#contract/telemetry.ts';
import { makeDevice, makePart, makeProject, makeUser } from '../factories.ts';
import { patienceMs } from '../patience.ts';
import type { Server } from '../product-process.ts';
import { callOf, messageOf, randomOf } from './inputs.ts';

interface FuzzResult {
  calls: number;
  messages: number;
  /** Answers of 500 and above, with the request. */
  failed: string[];
  /** Messages that were neither acknowledged nor answered by ending the connection. */
  unanswered: string[];
  /**
   * Number of hostile calls until all later ones were refused; null: the caller was accepted until the end.
   */
  shutOutAfter: number | null;
  /** Acknowledged readings of the honest device that are not stored. */
  lost: number;
  acknowledged: number;
  /** For the honest device's readings, ms. */
  p95: number;
  crashes: number;
}
const hostileDevices = 8;
const chunk = 400;
const shown = 20;

/** Sends hostile calls and messages from a seed to one product, while an honest device keeps reporting. */
export const fuzz = async (
  server: Server,
  { seed, calls, messages }: { seed: number; calls: number; messages: number },
): Promise<FuzzResult> => {
  const random = randomOf(seed);
  const crashes = server.crashes();
  const unanswered: string[] = [];
  const project = await makeProject(server.db);
  const part = await makePart(server.db, project.id);
  const own = { project_id: project.id, part_id: part.id, type: 3, lines: 2 };
  const victim = await makeDevice(server.db, own);
  const senders = await Promise.all(
    Array.from({ length: hostileDevices }, async () =>
      hostileDevice(server, await makeDevice(server.db, own), (message) => unanswered.push(message)),
    ),
  );
  await makeUser(server.db, { role: 3, projects: [project] });
  await numberFromHere(server);
  const honest = await honestDevice(server);
  const administrator = await callerForLong(server);
  const known = {
    project_id: project.id,
    part_id: part.id,
    device_id: victim.id,
    device_ids: [victim.id],
    line_id: victim.lines[0]!.id,
    from: '2026-11-19T00:00:00Z',
    to: '2026-11-20T12:00:00Z',
  };
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const failed: string[] = [];
  let [called, sent, seq] = [0, 0, 0];
  let shutOutAfter: number | null = null;
  while (called < calls || sent < messages) {
    const token = await server.signIn(administrator.id);
    const round: Promise<unknown>[] = [honest.report()];
    for (let left = Math.min(chunk, calls - called); left > 0; left -= 1) {
      called += 1;
      const one = callOf(random, known);
      round.push(
        post(agent, server.url(), token, one).then((status) => {
          // The demo's calls answer 503 if no demo runs.
          if (status === 503 && one.endpoint.path.startsWith('/demo/')) return;
          if (status >= 500 || status === 0)
            failed.push(
              `${status} ${one.endpoint.method} ${one.endpoint.path} ${one.contentType} ${one.body.slice(0, 600)}`,
            );
        }),
      );
    }
    for (let left = Math.min(2 * chunk, messages - sent); left > 0; left -= 1) {
      sent += 1;
      seq += 1;
      round.push(senders[sent % hostileDevices]!.send(messageOf(random, seq, server.now())));
    }
    // The product limits a device by the clock, so the clock must keep running.
    let isOver = false;
    const over = Promise.all(round).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await server.advance(100);
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    await server.advance(1000);
    if (shutOutAfter === null && !(await honest.isSeenBy(token))) shutOutAfter = called;
  }
  await honest.report();
  await server.advance(1000);
  const lost = await honest.lost(await server.signIn(administrator.id));
  for (const sender of senders) sender.leave();
  honest.leave();
  agent.destroy();
  return {
    calls: called,
    messages: sent,
    failed: failed.slice(0, shown),
    unanswered: unanswered.slice(0, shown),
    shutOutAfter,
    lost,
    acknowledged: honest.times.length,
    p95: honest.times.toSorted((a, b) => a - b)[Math.floor(honest.times.length * 0.95)] ?? 0,
    crashes: server.crashes() - crashes,
  };
};

/**
 * Ids that are made from now on are out of reach of hostile input: an administrator who deletes the honest
 * device or their own account would break the test.
 */
const firstOutOfReach = 1_000_003;
const numberFromHere = async (server: Server): Promise<void> => {
  for (const table of ['projects', 'devices', 'lines', 'users'])
    await sql`alter table ${sql.table(table)} alter column id restart with ${sql.lit(firstOutOfReach)}`.execute(
      server.db,
    );
};
/** An administrator with two-step sign-in, because one of the calls may make it required for the role. */
export const callerForLong = async (server: Server) => {
  const user = await makeUser(server.db, { role: 1 });
  const at = new Date(server.now());
  await server.db
    .insertInto('two_step')
    .values({ user_id: user.id, secret: Buffer.alloc(1), confirmed_at: at, created_at: at })
    .execute();
  return user;
};

const post = (
  agent: http.Agent,
  url: string,
  token: string,
  {
    endpoint,
    contentType,
    body,
  }: { endpoint: { method: string; path: string }; contentType: string; body: string },
): Promise<number> =>
  new Promise((resolve) => {
    const isPost = endpoint.method === 'POST';
    const query = isPost ? '' : `?${encodeURIComponent(body.slice(0, 1000))}`;
    const request = http.request(
      `${url}${endpoint.path}${query}`,
      {
        agent,
        timeout: 30_000,
        method: endpoint.method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(isPost && contentType !== '' ? { 'content-type': contentType } : {}),
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
    request.end(isPost ? body : undefined);
  });

interface Account {
  id: number;
  number: string;
  secret: string;
}
const connect = (server: Server, { number, secret }: Account): Promise<MqttClient> =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${server.port()}`, {
    clientId: number,
    username: number,
    password: secret,
    reconnectPeriod: 0,
    keepalive: 0,
    connectTimeout: 20_000,
  });

/** Sends messages; reconnects when the server has ended the connection. */
const hostileDevice = (server: Server, account: Account, unanswered: (message: string) => void) => {
  let client: MqttClient | null = null;
  let closed: Promise<void> = Promise.resolve();
  const open = async () => {
    client?.end(true);
    const opened = await connect(server, account);
    opened.on('error', () => {});
    closed = new Promise((resolve) => {
      opened.once('close', () => resolve());
    });
    client = opened;
  };
  let opening: Promise<void> | null = null;
  return {
    async send({ topic, payload }: ReturnType<typeof messageOf>): Promise<void> {
      if (!client?.connected) {
        opening ??= open()
          .catch(() => {})
          .finally(() => {
            opening = null;
          });
        await opening;
      }
      if (!client?.connected) return;
      const taken = client.publishAsync(topicOf(account.number, topic), payload, { qos: 1 }).then(
        () => {},
        () => {},
      );
      let late: NodeJS.Timeout | undefined;
      const stuck = new Promise<'stuck'>((resolve) => {
        late = setTimeout(() => resolve('stuck'), patienceMs);
      });
      const outcome = await Promise.race([taken, closed, stuck]);
      clearTimeout(late);
      if (outcome !== 'stuck' || !client.connected) return;
      // The first unanswered message blocks those behind it.
      unanswered(`${topic} ${String(payload).slice(0, 600)}`);
      client.end(true);
    },
    leave: () => client?.end(true),
  };
};

/** Reports readings with a new value each time, and records which ones were acknowledged. */
export const honestDevice = async (server: Server) => {
  const project = await makeProject(server.db);
  const account = await makeDevice(server.db, { project_id: project.id });
  let client = await connect(server, account);
  const times: number[] = [];
  const acknowledged: number[] = [];
  let serial = 0;
  const begun = server.now();
  const read = (token: string, cursor: string | null, limit: number) =>
    server.call(token, '/device_line/get_line_log', {
      line_id: account.lines[0]!.id,
      from: new Date(begun - 60_000).toISOString(),
      to: new Date(server.now() + 60_000).toISOString(),
      limit,
      ...(cursor === null ? {} : { cursor }),
    });
  return {
    times,
    async report(): Promise<void> {
      serial += 1;
      const value = serial / 1000;
      const message = {
        ...{ v: 1, boot: 1, seq: serial, t: server.now() },
        ln: [{ n: 1, sw: 1, trip: 0, lock: 0, U: { a: 220 }, I: { a: value }, IL: 3 }],
      };
      const sent = performance.now();
      try {
        if (!client.connected) client = await connect(server, account);
        await client.publishAsync(topicOf(account.number, 'tele'), JSON.stringify(message), { qos: 1 });
        times.push(performance.now() - sent);
        acknowledged.push(value);
      } catch {
        // Without an acknowledgement the reading may be lost.
      }
    },
    async isSeenBy(token: string): Promise<boolean> {
      return (await read(token, null, 1)).status === 200;
    },
    async lost(token: string): Promise<number> {
      const stored = new Set<number>();
      let cursor: string | null = null;
      do {
        const { data, ...answer } = await read(token, cursor, 1000);
        if (answer.status !== 200) throw new Error(`the readings cannot be read: ${JSON.stringify(answer)}`);
        for (const row of data.list) stored.add(Math.round(row.values['I.a'] * 1000));
        cursor = data.next_cursor;
      } while (cursor !== null);
      return acknowledged.filter((value) => !stored.has(Math.round(value * 1000))).length;
    },
    leave: () => client.end(true),
  };
};
