import type { FormInstance } from 'antd';
import { useEffect, useRef } from 'react';
import { Fault } from '#web/api/fault.ts';
import { useUnsaved } from './use-unsaved.ts';

/**
 * For a form on a screen whose data stays live. While it is untouched it shows the stored values; then it keeps
 * what was typed, and the revision of the values that it shows: a change by another user is refused once and not
 * overwritten silently. `send` gets that revision.
 */
export const useStoredForm = <Values>(
  form: FormInstance<Values>,
  stored: Values,
  revision: number,
): {
  onTouched: () => void;
  sendWith: (send: (revision: number) => Promise<unknown>) => Promise<unknown>;
} => {
  const touched = useRef(false);
  const base = useRef<number | null>(revision);
  useUnsaved(() => touched.current);
  const latest = useRef(stored);
  useEffect(() => {
    latest.current = stored;
  });
  useEffect(() => {
    // After a refusal the reader knows of the other change: the next attempt is based on it.
    if (!touched.current || base.current === null) base.current = revision;
    if (!touched.current) form.setFieldsValue(latest.current);
  }, [form, revision]);
  return {
    onTouched: () => {
      touched.current = true;
    },
    async sendWith(send) {
      try {
        const sent = await send(base.current ?? revision);
        if (sent !== false) touched.current = false;
        return sent;
      } catch (error) {
        if (error instanceof Fault && error.status === 409) base.current = null;
        throw error;
      }
    },
  };
};
