import type { FormInstance, FormRule } from 'antd';
import { useCallback } from 'react';
import type * as z from 'zod';
import { issueMessages, messageOf } from '#contract/faults/issues.ts';
import { withPhoneFormat } from '#contract/people.ts';
import { Fault } from '../api/fault.ts';
import { useSession } from '../api/session.ts';
import { currentLanguage } from '../i18n/i18n.ts';

/**
 * Rules of an antd form out of the call's own schema: the whole form is checked by what the server checks, and each
 * field shows its own issue. `whole` completes the form's values to the call's body.
 */
export const zodRule =
  <Schema extends z.ZodType>(schema: Schema, whole: (values: object) => object = (values) => values) =>
  (field: string): FormRule =>
  ({ getFieldsValue }) => ({
    validator: () => {
      const language = currentLanguage();
      const given = Object.fromEntries(
        Object.entries(whole(getFieldsValue())).filter(([, value]) => value !== undefined && value !== null),
      );
      const format = useSession.getState().session?.phone_format ?? 'eleven';
      // Read within: Zod words its issues when they are first read.
      const issues = withPhoneFormat(
        format,
        () => schema.safeParse(given, { error: issueMessages(language) }).error?.issues,
      );
      const issue = issues?.find(({ path }) => String(path[0]) === field);
      if (!issue) return Promise.resolve();
      return Promise.reject(new Error(messageOf(issue, language)));
    },
  });

/** Puts the server's field errors at their fields; the call itself has shown other faults. */
export const useFormFaults = <Values>(form: FormInstance<Values>): ((error: unknown) => void) =>
  useCallback(
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      const marked = Object.entries(error.fields).map(([name, message]) => ({
        name: name.split('.'),
        errors: [message],
      }));
      form.setFields(marked as Parameters<typeof form.setFields>[0]);
    },
    [form],
  );
