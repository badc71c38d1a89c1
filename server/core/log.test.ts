import { Writable } from 'node:stream';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createLog, unblocked } from './log.ts';

const logged = (error: unknown, key: string): Record<string, unknown> => {
  const lines: string[] = [];
  createLog({ level: 'info' }, { write: (text: string) => lines.push(text) }).warn({ [key]: error }, 'x');
  const [line = ''] = lines;
  expect(line.match(/\n/g)).toHaveLength(1);
  return JSON.parse(line) as Record<string, unknown>;
};

it('the log shows an unreachable database in one short line, and any other error with its stack', async () => {
  const away = await new pg.Client('postgresql://127.0.0.1:1/nothing')
    .connect()
    .catch((error: unknown) => error);
  const recovering = Object.assign(new Error('the database system is in recovery mode'), { code: '57P03' });
  for (const key of ['err', 'error']) {
    expect(logged(away, key)[key]).toBe('connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED)');
    expect(logged(recovering, key)[key]).toBe('the database system is in recovery mode (57P03)');
    expect(logged(new Error('ours'), key)[key]).toMatchObject({
      message: 'ours',
      stack: expect.stringContaining('log.test.ts'),
    });
    expect(logged('a text', key)[key]).toBe('a text');
  }
});

it('the log drops lines while it is not read, and reports how many when it is read again', async () => {
  const read: string[] = [];
  let take = () => {};
  let isRead = false;
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      read.push(chunk);
      if (isRead) done();
      else take = done;
    },
  });
  const log = createLog({ level: 'info' }, unblocked(output));
  for (let n = 0; n < 2000; n += 1) log.info('x'.repeat(1000));
  expect(output.writableLength).toBeLessThanOrEqual(1_000_000);
  isRead = true;
  const empty = new Promise((resolve) => output.once('drain', resolve));
  take();
  await empty;
  const kept = read.length;
  log.info('again');
  expect(read.slice(kept).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, dropped: 2000 - kept }),
    expect.objectContaining({ msg: 'again' }),
  ]);
});
