import { gzipSync } from 'node:zlib';
import { build, type Rolldown, type UserConfig } from 'vite';
import { type Piece, planChunks, type Visit } from './chunk-plan.ts';

/**
 * For each kind of visit: `weight` is the cost of a byte, `price` the number of bytes that costs as much as
 * one more request, and `budget` the number of bytes above which each byte costs much more. Bytes are those
 * of the bundler's pieces, each compressed alone; test/bundle.test.ts measures about a tenth less. The
 * numbers were found by trial: with them, list pages stay below 400 kB there, and screens with many parts
 * below 18 files.
 */
const kinds = {
  /** A budget of 0: nearly nothing beyond what is needed. */
  door: { weight: 1_000_000, price: 1_400, budget: 0 },
  tight: { weight: 2_000_000, price: 700, budget: 0 },
  view: { weight: 20_000, price: 70_000 },
  /** Visits that make the most requests: a device's tabs, and pages with many parts. */
  many: { weight: 20_000, price: 3_000_000 },
  most: { weight: 20_000, price: 30_000_000 },
  /** The lists that most readers open should also come in few files. */
  main: { weight: 200_000, price: 2_000_000, budget: 454_000 },
  /** The lists that need the most bytes. */
  list: { weight: 300_000, price: 70_000, budget: 432_000 },
  front: { weight: 20_000, price: 3_000_000, budget: 500_000 },
  /** Pages with a budget for all their parts. */
  whole: { weight: 8_000, price: 14_000 },
  page: { weight: 20_000, price: 70_000, budget: 441_000 },
  part: { weight: 0.05, price: 9_000 },
  /** Parts with a budget of their own, without the console around them. */
  own: { weight: 2_000, price: 3_000 },
};

export interface Entries {
  /** Loaded by everybody, signed in or not. */
  door: string;
  /** Loaded with every page. */
  shell: readonly string[];
  /** The part of the shell that loads after the page, as a separate file. */
  late: RegExp;
  /** Pages at the limit of their budget. */
  tight: RegExp;
  /** The lists that most readers open. */
  main: RegExp;
  /** The lists that need the most bytes. */
  list: RegExp;
  /** The page of a device, heavier by design. */
  front: RegExp;
  page: RegExp;
  /** Pages with their immediately visible parts. */
  firstViews: readonly (readonly string[])[];
  /** The first views with the most files. */
  manyParts: readonly (readonly string[])[];
  /** The worst of the views with many parts. */
  mostParts: readonly (readonly string[])[];
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
  const viewsOf = (views: Entries['firstViews'], kind: 'view' | 'many' | 'most' | 'whole') =>
    views.map((view) => ({ entries: [...base, ...view.map(fileOf)], ...kinds[kind] }));
  return [
    { entries: [door], ...kinds.door },
    ...parts,
    ...viewsOf(entries.firstViews, 'view'),
    ...viewsOf(entries.manyParts, 'many'),
    ...viewsOf(entries.mostParts, 'most'),
    ...viewsOf(entries.tightViews, 'whole'),
    ...chunks.flatMap(({ facadeModuleId, fileName }) =>
      facadeModuleId && entries.own.test(facadeModuleId) ? [{ entries: [fileName], ...kinds.own }] : [],
    ),
  ];
};

const kindOf = (source: string, entries: Entries): keyof typeof kinds =>
  (['tight', 'main', 'list', 'front', 'page'] as const).find((kind) => entries[kind].test(source)) ?? 'part';
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
    build: { ...config.build, write: false, manifest: false, reportCompressedSize: false },
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((each) => each.type === 'chunk');
  const pieces = chunks.map(
    (chunk): Piece => ({
      file: chunk.fileName,
      bytes: gzipSync(chunk.code).length,
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
