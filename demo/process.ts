import { type ChildProcess, fork } from 'node:child_process';
import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import { type Demo, DemoAway, DemoRefusal, type DemoScenes } from '#server/demo/simulation.ts';
import { demoFleet } from './estate/fleet.ts';

export interface DemoProcess extends Demo {
  /** Id of the simulation process; null if there is none. */
  pid(): number | null;
  /** Ends the simulation and its process. */
  stopAll(): Promise<void>;
}

interface DemoDeps {
  db: Db;
  brokerUrl: string;
  secretOf: (number: string) => string;
  /** File for the data that the simulated devices keep over a power failure. */
  flash: string;
  log: Logger;
}
type Reply = { id: number; result: unknown } | { id: number; refused: string };
interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

const program = new URL('./simulation.ts', import.meta.url);
const seed = 'demo';
const answerWithinMs = 5_000;
const endWithinMs = 4_000;
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Runs the demo estate's devices in a separate process, which reaches the server only through the broker,
 * like any device. If it dies it is started again, from the present registers; it ends with this process.
 */
export const startDemo = async ({ db, brokerUrl, secretOf, flash, log }: DemoDeps): Promise<DemoProcess> => {
  const waiting = new Map<number, Waiting>();
  let child: ChildProcess | null = null;
  let ended = false;
  let lastId = 0;
  let pauseMs = shortestPauseMs;
  let again: NodeJS.Timeout | null = null;

  const letDown = () => {
    for (const { reject } of waiting.values()) reject(new DemoAway());
    waiting.clear();
  };
  const launch = async (): Promise<void> => {
    const fleet = await demoFleet(db);
    if (ended || fleet.length === 0) return;
    const devices = fleet.map((device) => ({ ...device, secret: secretOf(device.number) }));
    const own = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    child = own;
    const beganAt = performance.now();
    own.stderr?.on('data', (text: Buffer) => log.warn({ text: text.toString() }, 'simulation'));
    own.on('error', (error) => log.warn({ err: error }, 'simulation'));
    own.on('message', (reply: Reply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('refused' in reply) asked?.reject(new DemoRefusal(reply.refused));
      else asked?.resolve(reply.result);
    });
    own.on('exit', (code, signal) => {
      if (child === own) child = null;
      letDown();
      if (ended) return;
      if (performance.now() - beganAt > longestPauseMs) pauseMs = shortestPauseMs;
      log.warn({ code, signal }, 'the simulation ended and is started again');
      later();
    });
    own.send({ kind: 'start', brokerUrl, seed, devices, flash });
  };
  const later = () => {
    again = setTimeout(() => {
      launch().catch((error: unknown) => {
        log.warn({ err: error }, 'the simulation does not start');
        if (!ended) later();
      });
    }, pauseMs);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  };
  const ask = (order: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (!child?.connected) return reject(new DemoAway());
      lastId += 1;
      const id = lastId;
      const late = setTimeout(() => {
        waiting.delete(id);
        reject(new DemoAway());
      }, answerWithinMs);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(late);
          settle(value);
        };
      waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      child.send({ ...order, id });
    });

  await launch();
  return {
    scenes: async (number) => (await ask({ kind: 'scenes', number })) as DemoScenes,
    async play(number, scene, line) {
      await ask({ kind: 'play', number, scene, line });
    },
    async stop(number) {
      await ask({ kind: 'stop', number });
    },
    pid: () => child?.pid ?? null,
    async stopAll() {
      ended = true;
      if (again) clearTimeout(again);
      const own = child;
      if (!own || own.exitCode !== null || own.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => {
        own.once('exit', () => resolve());
      });
      if (own.connected) own.send({ kind: 'end' });
      const late = setTimeout(() => own.kill('SIGKILL'), endWithinMs);
      await gone;
      clearTimeout(late);
    },
  };
};
