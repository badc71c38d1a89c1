import { useState } from 'react';
import { Fault } from '../api/fault.ts';

type Flaws = Readonly<Record<string, string>>;

/** Sends what a confirmation asks for: `flaws` are the errors of its fields, found here or told by the server. */
export const useAsk = () => {
  const [busy, setBusy] = useState(false);
  const [flaws, setFlaws] = useState<Flaws>({});
  /** Sends nothing if errors were `found`. False if the call refused: `send` throws its fault. */
  const submit = async (found: Flaws, send: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return true;
    setFlaws(found);
    if (Object.keys(found).length > 0) return true;
    setBusy(true);
    try {
      await send();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFlaws({ ...error.alsoFields, ...error.fields });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, flaws, submit, typed: () => setFlaws({}) };
};
