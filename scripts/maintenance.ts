import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { sentence } from '#contract/faults/codes.ts';
import { BackupError } from '#database/backup/backup-error.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import { takeLock } from '#server/backups/worker.ts';

export interface Arguments {
  name: string | undefined;
  tables: readonly string[] | null;
  passphrase: string | null;
  force: boolean;
  nothingSince: boolean;
}
/** Throws StartError for an option that does not exist. */
export const readArguments = async (): Promise<Arguments> => {
  const { values, positionals } = parse();
  const file = values['passphrase-file'];
  const passphrase =
    file === undefined
      ? null
      : (
          await readFile(file, 'utf8').catch((error: unknown) => {
            throw new StartError(`The passphrase cannot be read from ${file} (${reasonOf(error)}).`);
          })
        ).replace(/\r?\n$/, '');
  return {
    name: positionals[0],
    tables: values.tables?.split(',') ?? null,
    passphrase,
    force: values.force ?? false,
    nothingSince: values['nothing-since'] ?? false,
  };
};
const parse = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'passphrase-file': { type: 'string' },
        tables: { type: 'string' },
        force: { type: 'boolean' },
        'nothing-since': { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new StartError(reasonOf(error));
  }
};

/** Runs `run` while this process alone holds the maintenance lock of the database. */
export const alone = async <Result>(databaseUrl: string, run: () => Promise<Result>): Promise<Result> => {
  const lock = await takeLock(databaseUrl);
  if (lock === null)
    throw new StartError('Another job maintains this database now: try again when it has ended.');
  try {
    return await run();
  } finally {
    await lock.end();
  }
};

/** Shows the progress, on a terminal only. */
export const showProgress = ({ step, done, total }: { step: string; done: number; total: number }): void => {
  if (!process.stderr.isTTY) return;
  const share = total === 0 ? 100 : Math.floor((100 * done) / total);
  process.stderr.write(`\r${String(share).padStart(3)} % ${step.padEnd(40)}`);
};

/** Runs a maintenance command: exit code 0 on success, else 1 and one sentence with the reason. */
export const command = async (run: () => Promise<string>): Promise<void> => {
  try {
    console.log(await run());
  } catch (error) {
    if (error instanceof BackupError) console.error(sentence(`backup.${error.flaw}`, 'en-US', error.about));
    else console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
};
