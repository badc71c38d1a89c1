import { build, type Rolldown, type UserConfig } from 'vite';
import { type Piece, planChunks, type Visit } from './chunk-plan.ts';

/**
 * How much a byte matters to each kind of visit, and how many bytes are as bad as one more request: 150 ms of slow 4G,
 * six at a time, are about 30,000 bytes of source, and a browser on two cores takes each file on by itself. Where the
 * test of the bundle keeps a budget, bytes matter most.
 */
const kinds = {
  door: { weight: 100_000, price: 10_000 },
  tight: { weight: 60_000, price: 1_000 },
  view: { weight: 100, price: 200_000 },
  front: { weight: 5_000, price: 20_000 },
  page: { weight: 80, price: 250_000 },
  part: { weight: 0.05, price: 60_000 },
};

export interface Entries {
  /** What everybody loads, signed in or not. */
  door: string;
  /** What comes with every page. */
  shell: readonly string[];
  /** Pages at the limit of their budget. */
  tight: RegExp;
  /** The other pages that most readers open. */
  front: RegExp;
  page: RegExp;
  /** Pages with the parts that they show at once. */
  firstViews: readonly (readonly string[])[];
  /** Parts that stay files of their own: the test of the bundle weighs them alone. */
  own: RegExp;
  /** Words: they need nothing else. */
  leaf: RegExp;
}

const visitsOf = (chunks: readonly Rolldown.OutputChunk[], entries: Entries): Visit[] => {
  const fileOf = (source: string): string => {
    const found = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${source}`));
    if (!found) throw new Error(`${source} is not an entry of the build`);
    return found.fileName;
  };
  const door = fileOf(entries.door);
  const base = [door, ...entries.shell.map(fileOf)];
  const parts = chunks.flatMap(({ isDynamicEntry, facadeModuleId, fileName }) =>
    isDynamicEntry && facadeModuleId && !entries.leaf.test(facadeModuleId)
      ? [{ entries: [...base, fileName], ...kinds[kindOf(facadeModuleId, entries)] }]
      : [],
  );
  const views = entries.firstViews.map((view) => ({
    entries: [...base, ...view.map(fileOf)],
    ...kinds.view,
  }));
  return [{ entries: [door], ...kinds.door }, ...parts, ...views];
};

const kindOf = (source: string, entries: Entries): keyof typeof kinds =>
  (['tight', 'front', 'page'] as const).find((kind) => entries[kind].test(source)) ?? 'part';
/** Whether a chunk has to keep its own file: pages and the shell do, the parts of pages are joined like all else. */
const staysAlone = (
  { isEntry, isDynamicEntry, facadeModuleId }: Rolldown.OutputChunk,
  entries: Entries,
): boolean => {
  if (isEntry) return true;
  if (!isDynamicEntry || !facadeModuleId) return false;
  return (
    kindOf(facadeModuleId, entries) !== 'part' ||
    [entries.own, entries.leaf].some((each) => each.test(facadeModuleId)) ||
    entries.shell.some((each) => facadeModuleId.endsWith(`/${each}`))
  );
};

/**
 * The name of the file that each module goes to, planned from a build that leaves the split to the bundler: that has a
 * hundred small files for a screen. Only what a screen really needs after tree shaking counts.
 */
export const chunksOf = async (config: UserConfig, entries: Entries): Promise<Map<string, string>> => {
  const { output } = (await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: { ...config.build, write: false, minify: false, manifest: false, reportCompressedSize: false },
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((each) => each.type === 'chunk');
  const pieces = chunks.map(
    (chunk): Piece => ({
      file: chunk.fileName,
      bytes: chunk.code.length,
      needs: chunk.imports,
      isEntry: staysAlone(chunk, entries),
    }),
  );
  const modulesOf = new Map(chunks.map(({ fileName, moduleIds }) => [fileName, moduleIds]));
  return new Map(
    planChunks(pieces, visitsOf(chunks, entries)).flatMap((files, index) =>
      files.flatMap((file) => (modulesOf.get(file) ?? []).map((id) => [id, `shared-${index}`] as const)),
    ),
  );
};
