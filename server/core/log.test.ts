import pg from 'pg';
import { expect, it } from 'vitest';
import { createLog } from './log.ts';

const told = (error: unknown, key: string): Record<string, unknown> => {
  const lines: string[] = [];
  createLog({ level: 'info' }, { write: (text: string) => lines.push(text) }).warn({ [key]: error }, 'x');
  const [line = ''] = lines;
  expect(line.match(/\n/g)).toHaveLength(1);
  return JSON.parse(line) as Record<string, unknown>;
};

it('logs a database that is away in one short line, and any other error with its stack', async () => {
  const away = await new pg.Client('postgresql://127.0.0.1:1/nothing')
    .connect()
    .catch((error: unknown) => error);
  const recovering = Object.assign(new Error('the database system is in recovery mode'), { code: '57P03' });
  for (const key of ['err', 'error']) {
    expect(told(away, key)[key]).toBe('connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED)');
    expect(told(recovering, key)[key]).toBe('the database system is in recovery mode (57P03)');
    expect(told(new Error('ours'), key)[key]).toMatchObject({
      message: 'ours',
      stack: expect.stringContaining('log.test.ts'),
    });
    expect(told('a text', key)[key]).toBe('a text');
  }
});
