import http from 'node:http';
import mqtt from 'mqtt';
import type { Server } from '../product-process.ts';
import { honestDevice } from './fuzz.ts';

interface FloodResult {
  /** Number of calls, and of device connections, without a session. */
  calls: number;
  connections: number;
  /** Time to acknowledge the honest device's readings, ms. */
  p95: number;
  acknowledged: number;
  lost: number;
  crashes: number;
}
const parallel = 16;
const reportEveryMs = 200;

/**
 * A client without rights requests pictures, signs in wrongly, tries links and connects without a right
 * secret, as fast as it can.
 */
export const flood = async (server: Server, seconds: number, administrator: number): Promise<FloodResult> => {
  const crashes = server.crashes();
  const honest = await honestDevice(server);
  const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
  const end = Date.now() + seconds * 1000;
  let [calls, connections] = [0, 0];
  const stranger = async (call: () => [path: string, body: object]) => {
    while (Date.now() < end) {
      calls += 1;
      await post(agent, server.url(), ...call());
    }
  };
  const connecting = async () => {
    while (Date.now() < end) {
      connections += 1;
      await connectWrongly(server.port());
    }
  };
  const reporting = async () => {
    while (Date.now() < end) {
      await honest.report();
      await new Promise((resolve) => setTimeout(resolve, reportEveryMs));
    }
  };
  const time = async () => {
    while (Date.now() < end) {
      await server.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const wrongAccount = (): [string, object] => [
    '/sign_user/signin',
    { username: `guess${calls}`, password: 'wrong12345', code: '1234', code_id: crypto.randomUUID() },
  ];
  await Promise.all([
    ...Array.from({ length: parallel / 4 }, () => stranger(() => ['/index/get_code', {}])),
    ...Array.from({ length: parallel / 4 }, () => stranger(wrongAccount)),
    ...Array.from({ length: parallel / 4 }, () => stranger(() => ['/sign_user/link', { link: `x${calls}` }])),
    ...Array.from({ length: parallel / 4 }, () =>
      stranger(() => ['/sign_user/autologin', { user: 'a', pwd: 'b' }]),
    ),
    ...Array.from({ length: parallel }, connecting),
    reporting(),
    time(),
  ]);
  await server.advance(1000);
  const lost = await honest.lost(await server.signIn(administrator));
  honest.leave();
  agent.destroy();
  return {
    calls,
    connections,
    p95: honest.times.toSorted((a, b) => a - b)[Math.floor(honest.times.length * 0.95)] ?? 0,
    acknowledged: honest.times.length,
    lost,
    crashes: server.crashes() - crashes,
  };
};

const post = (agent: http.Agent, url: string, path: string, body: object): Promise<void> =>
  new Promise((resolve) => {
    const request = http.request(
      `${url}${path}`,
      { agent, method: 'POST', headers: { 'content-type': 'application/json' }, timeout: 30_000 },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve());
        answer.on('error', () => resolve());
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve());
    request.end(JSON.stringify(body));
  });

let stranger = 0;
const connectWrongly = (port: number): Promise<void> =>
  new Promise((resolve) => {
    stranger += 1;
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
      clientId: `STRANGER${stranger}`,
      username: `STRANGER${stranger}`,
      password: 'wrong',
      reconnectPeriod: 0,
      connectTimeout: 5000,
    });
    const done = () => {
      client.end(true);
      resolve();
    };
    client.once('error', done);
    client.once('close', done);
    client.once('connect', done);
  });
