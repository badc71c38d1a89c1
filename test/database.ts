import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { template, urlFor } from './postgres.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of the newest schema that nobody else uses. */
export const freshDatabase = async (): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name} template ${template}`);
  return {
    url: urlFor(inject('postgresUrl'), name),
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
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
