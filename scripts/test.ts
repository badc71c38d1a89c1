import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { ensureChromium } from '#test/chromium.ts';
import { buildConsole, root } from './console.ts';
import { filesToRepeat, type Report, summaryOf } from './test-report.ts';

const results = path.join(root, 'test-results');
const report = path.join(results, 'vitest.json');
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

/** Checks that need only the sources. */
const checkSources = async (): Promise<void> => {
  await step('Format and lint', () =>
    run(bin('biome'), ['check', '--error-on-warnings', '--reporter=summary'], { modest: true }),
  );
  // oxlint checks all types in one run; the compiler would read them again for each tsconfig.json.
  await step('Types, and lint with types', () =>
    run(bin('oxlint'), ['--type-aware', '--type-check', '--deny-warnings'], { modest: true }),
  );
};

const readReport = async (file: string): Promise<Report | undefined> => {
  const text = await fs.readFile(file, 'utf8').catch(() => undefined);
  return text ? JSON.parse(text) : undefined;
};
const vitest = (report: string, args: readonly string[]): Promise<void> =>
  run(
    bin('vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    {
      shown: true,
    },
  );

await fs.rm(results, { recursive: true, force: true });
await fs.mkdir(results, { recursive: true });
const checked = checkSources();
await Promise.all([
  step('Console', () => buildConsole(() => {})),
  step('Chromium', () => ensureChromium(console.log)),
]);
let first: Report | undefined;
let repeated: Report | undefined;
/** Files that fail run once more by themselves (decision 0335). */
const runTests = async (): Promise<void> => {
  const fault = await vitest(report, process.argv.slice(2)).catch((error: unknown) => error);
  first = await readReport(report);
  if (fault === undefined) return;
  const again = first ? filesToRepeat(first) : [];
  if (again.length === 0) throw fault;
  console.log(`\nOnce more by themselves: ${again.map((file) => path.relative(root, file)).join(', ')}`);
  await checked;
  const second = path.join(results, 'vitest-repeated.json');
  const secondFault = await vitest(second, again).catch((error: unknown) => error);
  repeated = await readReport(second);
  if (secondFault !== undefined) throw secondFault;
};
await step('Tests', runTests);
await checked;

const summary = summaryOf(first, repeated, root);
const lines = [...failed, ...summary.lines];
await fs.writeFile(path.join(results, 'summary'), `${lines.join('\n')}\n`);
console.log(`\n${lines.join('\n')}`);
process.exit(failed.length + summary.failed > 0 ? 1 : 0);
