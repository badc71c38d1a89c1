import { createHmac, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { connect } from '#database/connect.ts';
import { readSetting } from '#server/core/settings.ts';
import { installationKey } from '#server/start/installation-key.ts';
import type { NodeParts } from '#server/start/node.ts';
import { say } from '#server/start/stack.ts';
import { furnishDemo } from './estate/estate.ts';
import { type DemoProcess, startDemo } from './process.ts';

const secrets = async (dataDir: string) => {
  const key = await installationKey(dataDir, 'demo.key');
  return (number: string) => createHmac('sha256', key).update(number).digest('base64url');
};

const newDemoPassword = () => `demo${randomBytes(4).toString('hex')}1`;

/** Makes the demo estate in an empty database. Returns the password of its accounts. */
export const furnishEstate = async ({ config, clock, owner }: NodeParts): Promise<string> => {
  const password = newDemoPassword();
  say('Furnishing the demo estate …');
  const options = {
    now: clock.now(),
    seed: 7,
    secretOf: await secrets(config.dataDir),
    passwordHash: await hash(password),
    onProgress: say,
  } satisfies Parameters<typeof furnishDemo>[2];
  await owner.use((pool) => furnishDemo(connect(pool), pool, options));
  return password;
};

/**
 * A new password for the demo accounts, because the first was never shown: only for accounts that have not
 * been used yet.
 */
export const renewDemoPassword = async ({ clock, db }: NodeParts): Promise<string> => {
  const password = newDemoPassword();
  await db
    .updateTable('users')
    .set({ password_hash: await hash(password), password_changed_at: new Date(clock.now()) })
    .where('username', '<>', 'admin')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sessions').select('user_id').whereRef('sessions.user_id', '=', 'users.id'))),
    )
    .execute();
  return password;
};

/** Whether this node simulates the demo estate: the estate exists, and the node has all roles. */
export const isDemo = async ({ config, db }: NodeParts): Promise<boolean> => {
  if (config.demo === false || config.role !== 'all') return false;
  return (await readSetting(db, 'demo')) !== undefined;
};

/**
 * Where the simulated devices of this estate keep data over a power failure; devices of an older estate lose
 * it.
 */
const flashPath = async ({ config, db }: Pick<NodeParts, 'config' | 'db'>): Promise<string> => {
  const furnished = await db
    .selectFrom('settings')
    .select('updated_at')
    .where('key', '=', 'demo')
    .executeTakeFirst();
  const name = `demo-devices-${furnished?.updated_at.getTime() ?? 0}.json`;
  for (const file of await readdir(config.dataDir))
    if (/^demo-devices-\d+\.json/.test(file) && !file.startsWith(name))
      await rm(join(config.dataDir, file), { force: true });
  return join(config.dataDir, name);
};

export const runDemo = async (
  { config, db, log, stack }: NodeParts,
  brokerUrl: string,
): Promise<DemoProcess> => {
  const demo = await startDemo({
    db,
    brokerUrl,
    secretOf: await secrets(config.dataDir),
    flash: await flashPath({ config, db }),
    log,
  });
  stack.add('demo', () => demo.stopAll());
  return demo;
};
