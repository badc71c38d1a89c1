import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const roots = ['contract', 'database', 'demo', 'server', 'simulator', 'web'] as const;
const isTest = (file: string) =>
  /\.test\.tsx?$|\.(world|feeder)\.ts$|workbench\.ts$|test-setup|\/test-/.test(file);

const files = roots.flatMap((name) =>
  readdirSync(path.join(root, name), { recursive: true, encoding: 'utf8' })
    .map((file) => `${name}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !file.includes('node_modules')),
);

/** The names that a file imports, types included. */
const namesOf = (file: string): string[] => {
  const text = readFileSync(path.join(root, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
};
const beside = (file: string, name: string) =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
/** The imports of a file: project files as paths from the root, packages by name. */
const importsOf = (file: string): string[] =>
  namesOf(file).map((name) => {
    if (name.startsWith('.')) return beside(file, name);
    return name.startsWith('#') ? name.slice(1) : name;
  });
const graph = new Map(files.map((file) => [file, importsOf(file)]));
const product = files.filter((file) => !isTest(file));
const featureOf = (file: string) => file.split('/')[1] ?? '';
const isOurs = (name: string) =>
  roots.some((base) => name.startsWith(`${base}/`)) || name.startsWith('test/');

const breaches = (applies: (file: string) => boolean, allowed: (target: string, file: string) => boolean) =>
  product.filter(applies).flatMap((file) =>
    graph
      .get(file)!
      .filter((target) => !allowed(target, file))
      .map((target) => `${file} → ${target}`),
  );

/** Files of server features that other features may import, with the reason. */
const serverDoors: Record<string, readonly string[]> = {
  // The only way to a device's configuration topic.
  'control/config-message.ts': ['device-settings', 'timers'],
  'control/commands.ts': ['timers', 'one-key', 'firmware'],
  'control/facts.ts': ['one-key', 'tags', 'lines', 'access', 'maintenance'],
  'control/inspections.ts': ['device-settings', 'timers'],
  'control/remote-control.ts': ['timers'],
  'control/control.guard.ts': ['one-key', 'tags', 'access'],
  // A close that waits its turn gives way to an open.
  'control/opened-since.ts': ['one-key', 'timers'],
  // The proof that a line is open, and the effect of a settings change on a line.
  'control/proof.ts': ['one-key', 'tags'],
  'control/hazard.ts': ['device-settings', 'timers', 'lines', 'alarm-types', 'projects'],
  // The states of a command that is under way.
  'control/request.ts': ['devices'],
  'control/states.ts': ['alarms', 'health', 'lines', 'one-key', 'tags'],
  // An evidence pack shows alarms in the same form as the alarm list, with the channel of the alarm.
  'alarms/view.ts': ['evidence-pack'],
  'alarms/channel.ts': ['evidence-pack'],
  // What was shelved before the clock was set back returns when notices are looked at again.
  'alarms/shelving.ts': ['notices'],
  // A reconnected console gets the alarms that it missed.
  'alarms/raised-since.ts': ['live'],
  // A deleted project unbinds its devices as the device list does.
  'devices/bulk.ts': ['projects'],
  'alarms/engine/interlocks.ts': ['control'],
  // A line card shows the limits that apply to its values.
  'alarms/line-limits.ts': ['lines'],
  // A correction changes the base buckets; after a change of zone, owner or incoming lines, figures are
  // calculated again.
  'rollups/correct.ts': ['statistics'],
  'rollups/rebuild.ts': ['statistics', 'projects', 'devices'],
  // Requests to addresses that administrators enter, never to private networks.
  'notices/http.ts': ['session'],
  // An administrator resets a lost second step and sets up the gateway.
  'session/two-step.ts': ['users'],
  // A deleted account loses its sign-in links and known browsers.
  'session/links.ts': ['users'],
  'session/known-browsers.ts': ['users'],
  'session/sms.ts': ['users'],
  // Managers end sessions with everything that belongs to them.
  'session/end-sessions.ts': ['users'],
  'session/sign-in.ts': ['features', 'control', 'tags', 'one-key', 'device-settings'],
};
/** Files that connect features and may import all of them. */
const isServerJoint = (file: string) =>
  ['server/main.ts', 'server/features.ts', 'server/app.ts'].includes(file) ||
  file.startsWith('server/start/');

describe('the rules for imports', () => {
  it('contract imports only itself and zod', () => {
    expect(
      breaches(
        (file) => file.startsWith('contract/'),
        (target) => target.startsWith('contract/') || target === 'zod',
      ),
    ).toEqual([]);
  });
  it('database imports contract and packages, never the server or the console', () => {
    expect(
      breaches(
        (file) => file.startsWith('database/'),
        (target) => !isOurs(target) || /^(contract|database)\//.test(target),
      ),
    ).toEqual([]);
  });
  it('server/core imports contract, database and itself', () => {
    expect(
      breaches(
        (file) => file.startsWith('server/core/'),
        (target) => !isOurs(target) || /^(contract|database|server\/core)\//.test(target),
      ),
    ).toEqual([]);
  });
  it('a server feature imports core, contract, database, and only the store or a listed file of another feature', () => {
    const isDoor = (target: string, feature: string) =>
      target.endsWith('.store.ts') || (serverDoors[target.slice('server/'.length)] ?? []).includes(feature);
    expect(
      breaches(
        (file) => file.startsWith('server/') && !isServerJoint(file) && !/^server\/(core|link)\//.test(file),
        (target, file) =>
          !isOurs(target) ||
          /^(contract|database|server\/core)\//.test(target) ||
          target.startsWith(`server/${featureOf(file)}/`) ||
          isDoor(target, featureOf(file)),
      ),
    ).toEqual([]);
  });
  it('the link imports core, contract and database; only main and its start/ connect it to features', () => {
    expect(
      breaches(
        (file) => file.startsWith('server/link/'),
        (target) => !isOurs(target) || /^(contract|database|server\/core|server\/link)\//.test(target),
      ),
    ).toEqual([]);
    expect(
      breaches(
        (file) =>
          !file.startsWith('server/link/') && file !== 'server/main.ts' && !file.startsWith('server/start/'),
        (target) => !target.startsWith('server/link/'),
      ),
    ).toEqual([]);
  });
  it('the simulator imports the protocol and nothing else of the project', () => {
    expect(
      breaches(
        (file) => file.startsWith('simulator/'),
        (target) => !isOurs(target) || target === 'contract/telemetry.ts' || target.startsWith('simulator/'),
      ),
    ).toEqual([]);
  });
  it('the demo is above the server: only main starts it', () => {
    expect(
      breaches(
        (file) => file.startsWith('demo/'),
        (target) => !isOurs(target) || /^(contract|database|demo|server|simulator)\//.test(target),
      ),
    ).toEqual([]);
    expect(
      breaches(
        (file) => !file.startsWith('demo/') && file !== 'server/main.ts',
        (target) => !target.startsWith('demo/'),
      ),
    ).toEqual([]);
  });
  it('a feature of the console imports contract and the shared folders, never another feature or the app', () => {
    expect(
      breaches(
        (file) => file.startsWith('web/features/'),
        (target, file) =>
          !isOurs(target) ||
          /^(contract|web\/(parts|values|api|theme|i18n|geo))\//.test(target) ||
          target.startsWith(`web/features/${file.split('/')[2]}/`),
      ),
    ).toEqual([]);
    expect(
      breaches(
        (file) => /^web\/(parts|values|api|theme|i18n)\//.test(file),
        (target) => !/^web\/(features|app)\//.test(target) && !/^(server|database|simulator)\//.test(target),
      ),
    ).toEqual([]);
  });
  it('a file uses the full path for imports from outside its own feature', () => {
    const folderOf = (file: string) => {
      const names = file.split('/').slice(0, -1);
      return names.slice(0, names[1] === 'features' ? 3 : 2).join('/');
    };
    const roundabout = files
      .filter((file) => /^(server|web|database)\//.test(file))
      .flatMap((file) =>
        namesOf(file)
          .filter((name) => name.startsWith('../') && folderOf(beside(file, name)) !== folderOf(file))
          .map((name) => `${file} → ${name}`),
      );
    expect(roundabout).toEqual([]);
  });

  it('there is no import circle, types included', () => {
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, trail: readonly string[]) => {
      if (state.get(file) === 'done' || !graph.has(file)) return;
      if (state.get(file) === 'open') {
        circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const target of graph.get(file)!) visit(target, [...trail, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('each export is used by another file', () => {
    const text = (file: string) => readFileSync(path.join(root, file), 'utf8');
    const users = ['test', 'bench', 'scripts'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
    );
    const namedBy = new Map<string, number>();
    for (const file of [...files, ...users])
      for (const name of new Set(text(file).match(/\w+/g))) namedBy.set(name, (namedBy.get(name) ?? 0) + 1);
    const exported = /^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm;
    const unused = product
      // It exports what the module of antd does that it stands for.
      .filter((file) => file !== 'web/theme/antd-engine.ts')
      .flatMap((file) => [...text(file).matchAll(exported)].map(([, name]) => `${file} ${name}`))
      .filter((found) => namedBy.get(found.split(' ')[1]!) === 1);
    expect(unused).toEqual([]);
  });
});
