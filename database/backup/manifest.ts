import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { BackupError, flawed } from './backup-error.ts';
import { isPlainName } from './catalogue.ts';
import { digestOf, isSame, type Keys, keysOf, sealOf } from './cipher.ts';

export const manifestFile = 'manifest.json';
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const name = z.string().refine(isPlainName);
const count = z.int().min(0);

const volume = z.strictObject({ file: z.string().regex(/^\d{4}\.\d{3}$/), bytes: count, sha256: hex(32) });
const piece = z.strictObject({
  name,
  /** For a partition: its time range. */
  range: z.strictObject({ from: z.iso.datetime(), to: z.iso.datetime() }).nullable(),
  rows: count,
  /** Size of the rows as PostgreSQL's COPY text, before compression. */
  bytes: count,
  sha256: hex(32),
  volumes: z.array(volume).max(1000),
});
const table = z.strictObject({
  name,
  columns: z.array(z.strictObject({ name, type: z.string().max(200) })).min(1),
  partitionKey: name.nullable(),
  pieces: z.array(piece),
});
const backupCauses = ['manual', 'schedule', 'beforeRestore', 'beforeUpgrade', 'commandLine'] as const;
export type BackupCause = (typeof backupCauses)[number];

const manifest = z.strictObject({
  format: z.literal(1),
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/),
  made_at: z.iso.datetime(),
  cause: z.enum(backupCauses),
  /** True: every table of the product; false: only the listed ones. */
  whole: z.boolean(),
  /** Version of the product that made it, and of PostgreSQL. */
  version: z.string().max(40),
  postgres: count,
  migrations: z.array(z.string().max(200)),
  compression: z.literal('zstd'),
  encryption: z
    .strictObject({
      cipher: z.literal('aes-256-gcm'),
      kdf: z.literal('scrypt'),
      n: z
        .int()
        .min(2)
        .max(2 ** 18),
      r: z.int().min(1).max(16),
      p: z.int().min(1).max(4),
      salt: hex(16),
    })
    .nullable(),
  tables: z.array(table),
  sequences: z.array(z.strictObject({ name, table: name.nullable(), value: z.int() })),
  /** The newest row of the operation log. */
  log_head: z.strictObject({ id: count, hash: z.string().regex(/^[0-9a-f]*$/) }).nullable(),
});
export type Manifest = z.output<typeof manifest>;
export type ManifestTable = Manifest['tables'][number];
export type ManifestPiece = ManifestTable['pieces'][number];

/** Wraps the manifest: adds its checksum and, for an encrypted backup, a seal that requires the passphrase. */
const cover = z.strictObject({ manifest: z.unknown(), sha256: hex(32), seal: hex(32).nullable() });

export const coverOf = (content: Manifest, keys: Keys | null): string => {
  const text = JSON.stringify(content);
  return `${JSON.stringify({ manifest: content, sha256: digestOf(text), seal: keys && sealOf(text, keys) }, null, 1)}\n`;
};

interface Covered {
  manifest: Manifest;
  text: string;
  seal: string | null;
}
/** Throws `missing` if there is none, `damaged` if it was changed. */
const readCover = async (folder: string): Promise<Covered> => {
  const text = await readFile(path.join(folder, manifestFile), 'utf8').catch((error: unknown) => {
    throw new BackupError('missing', { name: path.basename(folder) }, error);
  });
  const damaged = (): never => flawed('damaged', { file: manifestFile });
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return damaged();
  }
  const covered = cover.safeParse(given);
  if (!covered.success) return damaged();
  const inner = JSON.stringify(covered.data.manifest);
  if (!isSame(digestOf(inner), covered.data.sha256)) return damaged();
  const read = manifest.safeParse(covered.data.manifest);
  if (!read.success) return damaged();
  return { manifest: read.data, text: inner, seal: covered.data.seal };
};
/** The manifest of a backup in a folder: its checksum is verified, its seal is not. */
export const readManifest = async (folder: string): Promise<Manifest> => (await readCover(folder)).manifest;

/** The manifest and the keys to its data. Throws `passphraseNeeded`, or `passphrase` if it is wrong. */
export const openManifest = async (
  folder: string,
  passphrase: string | null,
): Promise<{ manifest: Manifest; keys: Keys | null }> => {
  const { manifest: found, text, seal } = await readCover(folder);
  if (found.encryption === null) return { manifest: found, keys: null };
  if (passphrase === null) return flawed('passphraseNeeded', { name: found.name });
  const keys = await keysOf(passphrase, found.encryption);
  if (seal === null || !isSame(seal, sealOf(text, keys))) return flawed('passphrase', { name: found.name });
  return { manifest: found, keys };
};

export const rowsOf = ({ tables }: Manifest): number =>
  tables.reduce((sum, { pieces }) => sum + pieces.reduce((rows, each) => rows + each.rows, 0), 0);
export const volumesOf = ({ tables }: Manifest): ManifestPiece['volumes'] =>
  tables.flatMap(({ pieces }) => pieces.flatMap(({ volumes }) => volumes));
export const sizeOf = (content: Manifest): number =>
  volumesOf(content).reduce((sum, { bytes }) => sum + bytes, 0);
