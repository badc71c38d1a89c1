import type { FormInstance } from 'antd';
import { useCallback, useState } from 'react';
import { Fault } from '#web/api/fault.ts';
import { isUploading, uploadsStored } from './running-uploads.ts';

interface Mark {
  name: string[];
  errors: string[];
}
/** Sets or removes the errors of fields. */
const markFields = <Values>(form: FormInstance<Values>, marks: Mark[]): void =>
  form.setFields(marks as Parameters<typeof form.setFields>[0]);

/** Puts the server's field errors at their fields; other faults were already shown by the call. */
export const useFormFaults = <Values>(form: FormInstance<Values>): ((error: unknown) => void) =>
  useCallback(
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      const shown = new Set(form.getFieldsError().map(({ name }) => name.join('.')));
      const marked = Object.entries({ ...error.alsoFields, ...error.fields })
        .filter(([name]) => name in error.fields || shown.has(name))
        .map(([name, message]) => ({ name: name.split('.'), errors: [message] }));
      markFields(form, marked);
    },
    [form],
  );

/**
 * Sends a form's values, with the images that were chosen last, also if they are still being sent: `busy`
 * meanwhile, and the refused fields are marked. `send` throws the call's fault.
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
    // antd keeps a server error at a field without rules until it is removed here.
    const stale = form.getFieldsError().filter(({ errors }) => errors.length > 0);
    markFields(
      form,
      stale.map(({ name }) => ({ name: name as string[], errors: [] })),
    );
    try {
      if (!isUploading()) return (await send(values)) !== false;
      // A refused image stays marked at its field.
      return (await uploadsStored()) && (await send(form.getFieldsValue())) !== false;
    } catch (error) {
      mark(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, submit };
};
