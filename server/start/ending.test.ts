import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const child = fileURLToPath(new URL('./ending-child.ts', import.meta.url));
const run = (failure: string) =>
  new Promise<{ code: unknown; out: string; log: string }>((resolve) => {
    execFile(process.execPath, [child, failure], (error, out, log) =>
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
