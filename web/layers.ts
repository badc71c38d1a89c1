import { build, type Rolldown, type UserConfig } from 'vite';

type Output = Rolldown.RolldownOutput;
/** Sources by the name of the file that they arrive in together. A module goes to the first that all its sources need. */
export type Layers = Record<string, readonly string[]>;

const needsOf = ({ output }: Output, source: string): Set<string> => {
  const chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])));
  const entry = [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId?.endsWith(source));
  if (!entry) throw new Error(`${source} is not an entry of the build`);
  const seen = new Set(entry.imports);
  const modules = new Set<string>();
  for (const file of seen) {
    const chunk = chunks.get(file);
    for (const id of chunk?.moduleIds ?? []) modules.add(id);
    for (const each of chunk?.imports ?? []) seen.add(each);
  }
  return modules;
};

/**
 * The layer of each module, learnt from a build that leaves the split to the bundler: that has a hundred small files for
 * a screen, which compress badly and arrive slowly. Only what a screen really needs after tree shaking counts.
 */
export const layersOf = async (config: UserConfig, layers: Layers): Promise<Map<string, string>> => {
  const trial = (await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: { ...config.build, write: false, minify: false, manifest: false, reportCompressedSize: false },
  })) as Output;
  const found = new Map<string, string>();
  for (const [name, sources] of Object.entries(layers)) {
    const [first, ...rest] = sources.map((source) => needsOf(trial, source));
    for (const id of first ?? [])
      if (!found.has(id) && rest.every((needs) => needs.has(id))) found.set(id, name);
  }
  return found;
};
