import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { ensureChromium } from '#test/chromium.ts';
import { buildConsole, root } from './console.ts';

const results = path.join(root, 'test-results');
const report = path.join(results, 'vitest.json');
/**
 * Each has a tsconfig.json: the server's includes the database and the simulator, the tests' includes bench
 * and scripts.
 */
const roots = ['contract', 'server', 'web', 'web/worker', 'test'];
const bin = (name: string): string => path.join(root, 'node_modules/.bin', name);

const failed: string[] = [];

/** Reports at once whether a step succeeded; prints its errors only at the end, where they are read. */
const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  const started = performance.now();
  const outcome = await work().then(
    () => 'ok',
    (error) => {
      const what = error instanceof Error ? error.message : String(error);
      failed.push([`${name} FAILED`, what].filter(Boolean).join('\n'));
      return 'FAILED';
    },
  );
  console.log(`${name} (${((performance.now() - started) / 1000).toFixed(1)} s) ${outcome}`);
};

interface Command {
  /** Shows the output of the command as it comes. */
  shown?: boolean;
  /** Runs with low priority, so that the tests come first. */
  modest?: boolean;
}
const run = (
  command: string,
  args: string[],
  { shown = false, modest = false }: Command = {},
): Promise<void> =>
  new Promise((resolve, reject) => {
    const stdio = shown ? 'inherit' : 'pipe';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', stdio, stdio] });
    if (modest && child.pid) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output.trim()))));
  });

/** Shows every error of every root. */
const typeCheck = async (): Promise<void> => {
  const faults: string[] = [];
  for (const each of roots)
    await run(bin('tsc'), ['-p', `${each}/tsconfig.json`], { modest: true }).catch((error) =>
      faults.push(error.message),
    );
  if (faults.length > 0) throw new Error(faults.join('\n'));
};

/** Checks that need only the sources. */
const checkSources = async (): Promise<void> => {
  await step('Format and lint', () =>
    run(bin('biome'), ['check', '--error-on-warnings', '--reporter=summary'], { modest: true }),
  );
  await step('Type check', typeCheck);
  await step('Lint with types', () =>
    run(bin('oxlint'), ['--type-aware', '--deny-warnings'], { modest: true }),
  );
};

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

/**
 * Each failed test with its file, then their number. A file that fails before its first test counts as one.
 */
const summary = async (): Promise<string[]> => {
  const text = await fs.readFile(report, 'utf8').catch(() => undefined);
  if (!text) return ['tests: 0 passed, 1 failed'];
  const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(text);
  const names = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${path.relative(root, name)}: ${fullName}`),
  );
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  names.push(...broken.map(({ name }) => `${path.relative(root, name)}: failed before its first test`));
  return [
    ...(names.length > 0 ? ['Failed tests:', ...names.map((name) => `  ${name}`)] : []),
    `tests: ${numPassedTests} passed, ${numFailedTests + broken.length} failed`,
  ];
};

await fs.rm(results, { recursive: true, force: true });
await fs.mkdir(results, { recursive: true });
const checked = checkSources();
await Promise.all([
  step('Console', () => buildConsole(() => {})),
  step('Chromium', () => ensureChromium(console.log)),
]);
const vitest = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
await step('Tests', () => run(bin('vitest'), [...vitest, ...process.argv.slice(2)], { shown: true }));
await checked;

const lines = [...failed, ...(await summary())];
await fs.writeFile(path.join(results, 'summary'), `${lines.join('\n')}\n`);
console.log(`\n${lines.join('\n')}`);
process.exit(failed.length > 0 ? 1 : 0);
