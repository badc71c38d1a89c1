import { once } from 'node:events';
import type { ServerProcess } from '#test/server-process.ts';

/** The environment in which a server must run so that its memory can be measured. */
export const askable = { NODE_OPTIONS: '--inspect-port=0' };
const mostWaitMs = 30_000;

/** Machine code and bytecode grow for hours while more functions are compiled; then they stop growing. */
const data = `process
  .getBuiltinModule('node:v8')
  .getHeapSpaceStatistics()
  .filter(({ space_name }) => !/code|trusted|read_only/.test(space_name))
  .reduce((sum, { space_used_size }) => sum + space_used_size, process.memoryUsage().external)`;

/** Megabytes of data that a server's JavaScript holds after a full collection. Throws if it does not answer in time. */
export const askMemoryInUse = async ({
  process: server,
}: ServerProcess): Promise<{ ask(): Promise<number>; close(): void }> => {
  const address = new Promise<string>((resolve) => {
    let said = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [found] = /ws:\S+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  server.kill('SIGUSR1');
  const socket = new WebSocket(await within(address));
  await within(once(socket, 'open'));
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  const send = (method: string, params = {}): Promise<unknown> => {
    last += 1;
    const id = last;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    return within(answer).finally(() => waiting.delete(id));
  };
  return {
    async ask() {
      await send('HeapProfiler.collectGarbage');
      const { result } = (await send('Runtime.evaluate', {
        expression: data,
        returnByValue: true,
      })) as { result: { value: number } };
      return result.value / 2 ** 20;
    },
    close: () => socket.close(),
  };
};

const within = <T>(answer: Promise<T>): Promise<T> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('the server did not tell its memory')), mostWaitMs).unref(),
    ),
  ]);
