import { announceFields } from './announce.ts';
import { Fault } from './fault.ts';

/** The refusal of a call in `run`, or null if all was done. Fields that it names are left to the caller. */
export const refusalOf = async (run: () => Promise<unknown>): Promise<Fault | null> => {
  try {
    await run();
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error;
  }
};

/** For acts without a form: a refusal is always shown, also one that names a field. */
export const attempt = async (run: () => Promise<unknown>): Promise<Fault | null> => {
  const refusal = await refusalOf(run);
  if (refusal) announceFields(refusal);
  return refusal;
};
