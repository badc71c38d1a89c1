/**
 * npm run verify-log [-- 1234:hash]
 * Verifies the hash chain of the operation log in the database of DATABASE_URL, else of DATA_DIR, whether the server runs
 * or not. Exit code 0: valid; 1: broken; 2: could not be verified. With the number and hash of an earlier row it also
 * checks that this row has not changed.
 */
import { sentence } from '#contract/faults/codes.ts';
import { connect, connectPool } from '#database/connect.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import { checkOperations, operationHash } from '#server/core/operation-log.ts';
import { openDatabase } from './open-database.ts';

const check = async (url: string, noted: string | undefined): Promise<{ sentence: string; code: 0 | 1 }> => {
  const db = connect(connectPool(url, 1));
  try {
    if (noted !== undefined) {
      const [id, hash] = noted.split(':');
      if (!/^\d+$/.test(id ?? '') || !/^[0-9a-f]{64}$/.test(hash ?? ''))
        throw new StartError('What was noted has the form number:hash, as an earlier run printed it.');
      if ((await operationHash(db, Number(id))) !== hash)
        return { sentence: `Row ${id} is gone or is not the row that was noted.`, code: 1 };
    }
    const { checked, last, broken } = await checkOperations(db);
    if (broken) {
      const about = { id: broken.id, at: broken.at?.toISOString() ?? '-' };
      return {
        sentence: `The operation log is broken: ${sentence(`operationLog.${broken.why}`, 'en-US', about)}; ${checked} rows were checked.`,
        code: 1,
      };
    }
    return {
      sentence: `The operation log holds: ${checked} rows; note elsewhere ${last.id}:${last.hash}`,
      code: 0,
    };
  } finally {
    await db.destroy();
  }
};

try {
  const { url, stop } = await openDatabase();
  try {
    const { sentence, code } = await check(url, process.argv[2]);
    console.log(sentence);
    process.exitCode = code;
  } finally {
    await stop();
  }
} catch (error) {
  console.error(
    error instanceof StartError
      ? error.message
      : `The operation log could not be checked: ${reasonOf(error)}`,
  );
  process.exitCode = 2;
}
