import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { StartError } from '#database/start-error.ts';
import { compileEarly, dropFacades, foldRuntime, inlineDoorStyles, noteFirstFiles } from './console-files.ts';

export const root = path.dirname(import.meta.dirname);
const built = path.join(root, 'dist/web');
const stampFile = path.join(root, 'dist/.stamp');

const sources = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const folder of ['web', 'contract'])
    for (const file of (await fs.readdir(path.join(root, folder), { recursive: true })).sort()) {
      const at = path.join(root, folder, file);
      if (/\.test\.tsx?$/.test(file) || !(await fs.stat(at)).isFile()) continue;
      hash.update(`${folder}/${file}\0`).update(await fs.readFile(at));
    }
  for (const file of ['package-lock.json', 'scripts/console-files.ts'])
    hash.update(await fs.readFile(path.join(root, file)));
  return hash.digest('hex');
};

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/**
 * Compared with level 9, the best level saves 7 % and takes six times as long. The street map's files are the
 * largest, and few readers load them.
 */
const qualityOf = (name: string): number =>
  /^(street-ground|maplibre)/.test(name) ? 9 : zlib.constants.BROTLI_MAX_QUALITY;
/** Compresses every asset in the two encodings that browsers support, once instead of for each visitor. */
const compressAssets = async (): Promise<void> => {
  const folder = path.join(built, 'assets');
  for (const name of await fs.readdir(folder)) {
    if (!/\.(js|css|svg|json)$/.test(name)) continue;
    const file = path.join(folder, name);
    const content = await fs.readFile(file);
    const [small, fallback] = await Promise.all([
      brotli(content, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: qualityOf(name) } }),
      gzip(content, { level: 9 }),
    ]);
    await Promise.all([fs.writeFile(`${file}.br`, small), fs.writeFile(`${file}.gz`, fallback)]);
  }
};

/** Builds the console into dist/ unless it was built from the same sources. Throws StartError. */
export const buildConsole = async (say: (sentence: string) => void): Promise<void> => {
  const stamp = await sources();
  if ((await fs.readFile(stampFile, 'utf8').catch(() => '')) === stamp) return;
  say('Building the console …');
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const vite = path.join(root, 'node_modules/vite/bin/vite.js');
    const child = spawn(process.execPath, [vite, 'build', 'web', '--logLevel', 'warn'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
  if (code !== 0) throw new StartError(`${output.trim()}\nThe console could not be built: see above.`);
  await dropFacades(built);
  await foldRuntime(built);
  await inlineDoorStyles(built);
  await compileEarly(built);
  // A server whose console is built needs no sources of it.
  const { screens } = await import('#web/app/screens.ts');
  await noteFirstFiles(built, screens);
  await compressAssets();
  await fs.mkdir(path.dirname(stampFile), { recursive: true });
  await fs.writeFile(stampFile, stamp);
};
