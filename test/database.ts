import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { embeddedAppRole } from '#database/app-role.ts';
import { template, urlFor } from './postgres.ts';

export interface TestDatabase {
  /** As the owner, for what a test prepares and looks at. */
  url: string;
  /** As the role that the product works with. */
  appUrl: string;
  drop(): Promise<void>;
}

/** A database of the newest schema that no other test uses. */
export const freshDatabase = async (): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name} template ${template}`);
  const url = urlFor(inject('postgresUrl'), name);
  return {
    url,
    appUrl: asApp(url),
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
};

const asApp = (url: string): string => {
  const changed = new URL(url);
  changed.username = embeddedAppRole;
  return changed.href;
};

const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};
