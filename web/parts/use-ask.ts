import { useState } from 'react';
import { refusalOf } from '#web/api/attempt.ts';

type Flaws = Readonly<Record<string, string>>;

/**
 * Sends the values of a confirmation. `flaws` are the errors of its fields, found here or reported by the
 * server.
 */
export const useAsk = () => {
  const [busy, setBusy] = useState(false);
  const [flaws, setFlaws] = useState<Flaws>({});
  /** Sends nothing if errors were `found`. False if the call refused: `send` throws its fault. */
  const submit = async (found: Flaws, send: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return true;
    setFlaws(found);
    if (Object.keys(found).length > 0) return true;
    setBusy(true);
    const refusal = await refusalOf(send).finally(() => setBusy(false));
    if (refusal) setFlaws({ ...refusal.alsoFields, ...refusal.fields });
    return refusal === null;
  };
  return { busy, flaws, submit, typed: () => setFlaws({}) };
};
