import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { canReach } from '#database/embedded-place.ts';

const child = fileURLToPath(new URL('./ending-child.ts', import.meta.url));
const run = (...args: string[]) =>
  new Promise<{ code: unknown; out: string; log: string }>((resolve) => {
    execFile(process.execPath, [child, ...args], (error, out, log) =>
      resolve({ code: error?.code ?? 0, out, log }),
    );
  });

it.each([
  ['exception', 'first'],
  ['rejection', 'not handled'],
])(
  'a process with an unexpected %s logs it, finishes its work and ends with code 1',
  async (failure, words) => {
    const { code, out, log } = await run(failure);
    expect(log).toContain(words);
    expect(out).toContain('the group is written');
    expect(code).toBe(1);
  },
);

it('a process that does not end in time exits with code 1 and logs the part that is still running', async () => {
  const { code, out, log } = await run('hang');
  expect(log).toContain('"part":"a part without an answer"');
  expect(log).toContain('did not end in time');
  expect(out).not.toContain('the group is written');
  expect(code).toBe(1);
});

it('a process ends on SIGTERM also when nobody reads its log', async () => {
  const unread = fork(child, ['unread'], { silent: true });
  unread.stdout?.pause();
  unread.stderr?.pause();
  const ended = once(unread, 'exit');
  try {
    expect(await once(unread, 'message')).toContain('logged');
    unread.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  } finally {
    unread.kill('SIGKILL');
  }
});

it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a process that gave up root starts again if it can, else it ends and names what only root can do',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-ending-'));
    const key = path.join(folder, 'tls.key');
    try {
      await chmod(folder, 0o755);
      await writeFile(key, 'key', { mode: 0o600 });
      expect(await run('restart', key)).toMatchObject({
        code: 75,
        out: expect.stringMatching(
          /the group is written\n[\s\S]*Start Ampwatch again as root to go on: only root can read \S+tls\.key/,
        ),
      });
      // If other users may not read the program, it cannot restart.
      if (!(await canReach({ uid: 65_534, gid: 65_534 }, path.dirname(child)))) return;
      await chmod(key, 0o644);
      const again = await run('restart', key);
      expect([again.code, again.out]).toEqual([
        0,
        expect.stringContaining('the group is written\nbegan anew'),
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
