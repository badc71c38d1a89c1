import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { createDatabase } from './postgres.ts';
import { startServer } from './server-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the addresses of the demo product of this test run. */
    demoProductUrl: string;
  }
}

export interface DemoAddresses {
  /** Output of the product until it was ready. */
  said: string;
  databaseUrl: string;
}

/**
 * One product with the demo estate for the whole run, started when a test first needs it: filling the estate
 * takes longer than most tests that read it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { postgresUrl } = project.getProvidedContext();
  let running: ReturnType<typeof start> | undefined;
  const door = createServer((_request, response) => {
    running ??= start(postgresUrl);
    running.then(
      ({ addresses }) => response.end(JSON.stringify(addresses)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  project.provide('demoProductUrl', `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return async () => {
    door.closeAllConnections();
    door.close();
    await (await running?.catch(() => undefined))?.stop();
  };
}

const start = async (postgresUrl: string) => {
  const database = await createDatabase(postgresUrl);
  const server = await startServer({
    DATABASE_URL: database.url,
    DATABASE_APP_URL: database.appUrl,
    DEMO: '1',
  }).catch(async (error) => {
    await database.drop();
    throw error;
  });
  const addresses: DemoAddresses = { said: server.said, databaseUrl: database.url };
  return {
    addresses,
    async stop() {
      await server.stop();
      await database.drop();
    },
  };
};
