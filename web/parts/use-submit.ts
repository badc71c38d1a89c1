import type { FormInstance } from 'antd';
import { useState } from 'react';
import { useFormFaults } from './zod-rule.ts';

/**
 * Sends a form's values: `busy` meanwhile, and the refused fields are marked. `send` throws the call's fault.
 * `submit` resolves to false if the call refused, or if `send` returns false because the reader cancelled.
 */
export const useSubmit = <Values>(
  form: FormInstance<Values>,
  send: (values: Values) => Promise<unknown>,
): { busy: boolean; submit: (values: Values) => Promise<boolean> } => {
  const mark = useFormFaults(form);
  const [busy, setBusy] = useState(false);
  const submit = async (values: Values) => {
    setBusy(true);
    try {
      return (await send(values)) !== false;
    } catch (error) {
      mark(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, submit };
};
