import { build, type Rolldown, type UserConfig } from 'vite';
import { type Piece, planChunks, type Visit } from './chunk-plan.ts';

/**
 * The cost of a byte for each kind of visit, and the number of bytes that costs as much as one more request:
 * 150 ms of slow 4G, six requests in parallel, are about 30,000 bytes of source, and a browser on two cores
 * spends time on each file. Where test/bundle.test.ts has a budget, bytes cost most.
 */
const kinds = {
  door: { weight: 100_000, price: 10_000 },
  tight: { weight: 270_000, price: 1_000 },
  view: { weight: 100, price: 400_000 },
  /** Those that ask most often: a device's tabs, and pages with many parts. */
  many: { weight: 100, price: 10_000_000 },
  front: { weight: 60_000, price: 20_000 },
  /** Pages with a budget for all their parts. */
  whole: { weight: 8_000, price: 100_000 },
  page: { weight: 80, price: 500_000 },
  part: { weight: 0.05, price: 60_000 },
  /** Parts with a budget of their own, without the console around them. */
  own: { weight: 2_000, price: 20_000 },
};

export interface Entries {
  /** Loaded by everybody, signed in or not. */
  door: string;
  /** Loaded with every page. */
  shell: readonly string[];
  /** What of it comes after the page: a file of its own. */
  late: RegExp;
  /** Pages at the limit of their budget. */
  tight: RegExp;
  /** Other pages that most readers open. */
  front: RegExp;
  page: RegExp;
  /** Pages with their immediately visible parts. */
  firstViews: readonly (readonly string[])[];
  /** Of them, those with the most files. */
  manyParts: readonly (readonly string[])[];
  /** Pages with a budget for all their parts. */
  tightViews: readonly (readonly string[])[];
  /** Parts that stay separate files, because test/bundle.test.ts weighs them alone. */
  own: RegExp;
  /** Words: they have no dependencies. */
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
  const viewsOf = (views: Entries['firstViews'], kind: 'view' | 'many' | 'whole') =>
    views.map((view) => ({ entries: [...base, ...view.map(fileOf)], ...kinds[kind] }));
  return [
    { entries: [door], ...kinds.door },
    ...parts,
    ...viewsOf(entries.firstViews, 'view'),
    ...viewsOf(entries.manyParts, 'many'),
    ...viewsOf(entries.tightViews, 'whole'),
    ...chunks.flatMap(({ facadeModuleId, fileName }) =>
      facadeModuleId && entries.own.test(facadeModuleId) ? [{ entries: [fileName], ...kinds.own }] : [],
    ),
  ];
};

const kindOf = (source: string, entries: Entries): keyof typeof kinds =>
  (['tight', 'front', 'page'] as const).find((kind) => entries[kind].test(source)) ?? 'part';
/** Whether a chunk must stay a separate file: pages and the shell do; parts of pages may be merged. */
const staysAlone = (
  { isEntry, isDynamicEntry, facadeModuleId }: Rolldown.OutputChunk,
  entries: Entries,
): boolean => {
  if (isEntry) return true;
  if (!isDynamicEntry || !facadeModuleId) return false;
  return (
    kindOf(facadeModuleId, entries) !== 'part' ||
    [entries.own, entries.leaf, entries.late].some((each) => each.test(facadeModuleId))
  );
};

/**
 * The file name of each module, planned from a build that leaves the split to the bundler, which makes a
 * hundred small files per screen. Only what a screen really needs after tree shaking counts.
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
