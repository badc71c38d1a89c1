import type { FormInstance } from 'antd';
import { useState } from 'react';
import { markFields, useFormFaults } from './zod-rule.ts';

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
    // A field without rules keeps what the server said of its last value.
    const stale = form.getFieldsError().filter(({ errors }) => errors.length > 0);
    markFields(
      form,
      stale.map(({ name }) => ({ name: name as string[], errors: [] })),
    );
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
