import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';

const run = promisify(execFile);

interface Chromium {
  executablePath: string;
  args: string[];
}

/**
 * No background network traffic, and able to run as root (without a sandbox, because only the project's own
 * pages are shown).
 */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const shell = 'chromium-headless-shell';

const pathsOf = (name: string): string[] =>
  [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin'].map((folder) =>
    path.join(folder, name),
  );
const firstOf = async (candidates: readonly string[]): Promise<Chromium | undefined> => {
  for (const executablePath of candidates) if (await works(executablePath)) return { executablePath, args };
  return undefined;
};

/** The browser for end-to-end tests, if there is one: `chromium.launch(await findChromium())`. */
export const findChromium = (): Promise<Chromium | undefined> =>
  firstOf([
    ...names.flatMap(pathsOf),
    ...(process.platform === 'darwin' ? macPaths : []),
    chromium.executablePath(),
  ]);

/** Chromium without windows and notifications, if there is one: it needs half the processor time. */
export const findShell = (): Promise<Chromium | undefined> => firstOf(pathsOf(shell));

/** On some systems the command is only a hint to install a package, so it must print its version. */
const works = async (executablePath: string): Promise<boolean> => {
  try {
    await fs.access(executablePath, fs.constants.X_OK);
    return /chrom/i.test((await run(executablePath, ['--version'], { timeout: 20_000 })).stdout);
  } catch {
    return false;
  }
};

const apt = (...parameters: string[]) =>
  run('apt-get', parameters, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });

const mayUseApt = async (): Promise<boolean> =>
  process.getuid?.() === 0 &&
  run('apt-get', ['--version']).then(
    () => true,
    () => false,
  );

/** Not every distribution has every package. */
const isOffered = (name: string): Promise<boolean> =>
  run('apt-cache', ['show', name]).then(
    () => true,
    () => false,
  );

/** Font packages for Chinese and Cyrillic; without them screenshots show boxes. */
const missingFonts = async (): Promise<string[]> => {
  const covers = (language: string): Promise<boolean> =>
    run('fc-list', [`:lang=${language}`]).then(
      ({ stdout }) => stdout.trim() !== '',
      () => false,
    );
  return [
    ...((await covers('zh-cn')) ? [] : ['fonts-noto-cjk']),
    ...((await covers('ru')) ? [] : ['fonts-dejavu-core']),
  ];
};

/**
 * Finds the browser or installs it: by apt as root, else Playwright's own. Throws a sentence that explains
 * what to do.
 */
export const ensureChromium = async (say: (sentence: string) => void): Promise<Chromium> => {
  const found = await findChromium();
  if (await mayUseApt()) {
    const missing = [...(found ? [] : ['chromium']), ...(await missingFonts())];
    if (missing.length > 0) await apt('update', '-q').catch(() => undefined);
    const packages = [...missing, ...((await findShell()) || !(await isOffered(shell)) ? [] : [shell])];
    if (packages.length > 0) {
      say(`Installing ${packages.join(', ')} …`);
      await apt('install', '-y', '-q', '--no-install-recommends', ...packages).catch((error) =>
        say(`apt-get could not install them: ${String(error.stderr).trim().split('\n').at(-1)}`),
      );
    }
  }
  const usable = found ?? (await findChromium()) ?? (await download(say));
  if (usable) return usable;
  throw new Error(
    'The browser tests need Chromium and none could be installed: install Chromium or Google Chrome and run the tests again.',
  );
};

const download = async (say: (sentence: string) => void): Promise<Chromium | undefined> => {
  say('Downloading Chromium …');
  const home = path.dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json'));
  await run(process.execPath, [path.join(home, 'cli.js'), 'install', 'chromium'], {
    timeout: 600_000,
  }).catch((error) => say(`It could not be downloaded: ${String(error.message).split('\n')[0]}`));
  return findChromium();
};
