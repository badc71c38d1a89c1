import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { ensureChromium } from '#test/chromium.ts';
import { buildConsole, root } from './console.ts';

const results = path.join(root, 'test-results');
const report = path.join(results, 'vitest.json');
const roots = ['contract', 'database', 'server', 'simulator', 'web', 'web/worker', 'test', 'bench'];
const bin = (name: string): string => path.join(root, 'node_modules/.bin', name);

const failed: string[] = [];

const step = async (name: string, work: () => Promise<void>): Promise<void> => {
  const started = performance.now();
  const outcome = await work().then(
    () => 'ok',
    (error) => {
      failed.push(name);
      return `FAILED\n${error instanceof Error ? error.message : error}`;
    },
  );
  console.log(`${name} (${((performance.now() - started) / 1000).toFixed(1)} s) ${outcome}`);
};

const run = (command: string, args: string[], stdio: 'inherit' | 'pipe' = 'pipe'): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', stdio, stdio] });
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

/** All roots, two at a time; every fault of every root is shown. */
const typeCheck = async (): Promise<void> => {
  const waiting = [...roots];
  const faults: string[] = [];
  const worker = async (): Promise<void> => {
    for (let each = waiting.shift(); each; each = waiting.shift())
      await run(bin('tsc'), ['-p', `${each}/tsconfig.json`]).catch((error) => faults.push(error.message));
  };
  await Promise.all([worker(), worker()]);
  if (faults.length > 0) throw new Error(faults.join('\n'));
};

const exists = (file: string): Promise<boolean> =>
  fs.access(path.join(root, file)).then(
    () => true,
    () => false,
  );

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
}

/** A file that fails before its first test counts as one failed test. */
const summary = async (): Promise<string> => {
  const text = await fs.readFile(report, 'utf8').catch(() => undefined);
  if (!text) return 'tests: 0 passed, 1 failed';
  const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(text);
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return `tests: ${numPassedTests} passed, ${numFailedTests + broken.length} failed`;
};

await fs.rm(results, { recursive: true, force: true });
await fs.mkdir(results, { recursive: true });
await step('Type check', typeCheck);
await step('Format and lint', () =>
  run(bin('biome'), ['check', '--error-on-warnings', '--reporter=summary']),
);
await step('Lint with types', () => run(bin('oxlint'), ['--type-aware', '--deny-warnings']));
if (await exists('web/vite.config.ts')) await step('Console', () => buildConsole(() => {}));
if (await exists('test/e2e')) await step('Chromium', () => ensureChromium(console.log).then(() => undefined));
const vitest = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
await step('Tests', () => run(bin('vitest'), [...vitest, ...process.argv.slice(2)], 'inherit'));

if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}.`);
const line = await summary();
await fs.writeFile(path.join(results, 'summary'), `${line}\n`);
console.log(line);
process.exit(failed.length > 0 ? 1 : 0);
