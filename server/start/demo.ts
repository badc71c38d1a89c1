import { createHmac, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { furnishDemo } from '#database/seed/estate.ts';
import { appendOperation } from '#server/core/operation-log.ts';
import { type Demo, startDemo } from '../demo/demo.process.ts';
import type { NodeParts } from './node.ts';
import { say } from './stack.ts';

/** A secret of this installation, made on first use, readable by its owner alone. */
const installationKey = async (dataDir: string, name: string): Promise<Buffer> => {
  const file = join(dataDir, name);
  const known = await readFile(file).catch(() => null);
  if (known) return known;
  const made = randomBytes(32);
  await writeFile(file, made, { mode: 0o600 });
  return made;
};
const secrets = async (dataDir: string) => {
  const key = await installationKey(dataDir, 'demo.key');
  return (number: string) => createHmac('sha256', key).update(number).digest('base64url');
};

/** Furnishes the demo estate in an empty database. Returns the password of its accounts. */
export const furnishEstate = async ({ config, clock, db, pool }: NodeParts): Promise<string> => {
  const password = `demo${randomBytes(4).toString('hex')}1`;
  say('Furnishing the demo estate …');
  await furnishDemo(db, pool, {
    now: clock.now(),
    seed: 7,
    secretOf: await secrets(config.dataDir),
    passwordHash: await hash(password),
    appendOperation,
    onProgress: say,
  });
  await db
    .insertInto('settings')
    .values({ key: 'demo', value: 'true', updated_at: new Date(clock.now()) })
    .execute();
  return password;
};

/** Whether this node simulates the demo estate: it is furnished, and the node does everything by itself. */
export const isDemo = async ({ config, db }: NodeParts): Promise<boolean> => {
  if (config.demo === false || config.role !== 'all') return false;
  const furnished = await db
    .selectFrom('settings')
    .select('key')
    .where('key', '=', 'demo')
    .executeTakeFirst();
  return furnished !== undefined;
};

export const runDemo = async ({ config, db, log, stack }: NodeParts, brokerUrl: string): Promise<Demo> => {
  const demo = await startDemo({ db, brokerUrl, secretOf: await secrets(config.dataDir), log });
  stack.add('demo', () => demo.stopAll());
  return demo;
};
