import type { FormRule } from 'antd';
import type * as z from 'zod';
import { issueMessages, messageOf } from '#contract/faults/issues.ts';
import { withPhoneFormat } from '#contract/people.ts';
import { useSession } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';

/**
 * Rules of an antd form from the call's own schema: the whole form is validated as on the server, and each
 * field shows its own error. `whole` completes the form's values to the call's body.
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
      // Zod builds an issue's sentence when it is first read, so `issues` is read while the format applies.
      const issues = withPhoneFormat(
        format,
        () => schema.safeParse(given, { error: issueMessages(language) }).error?.issues,
      );
      const issue = issues?.find(({ path }) => String(path[0]) === field);
      if (!issue) return Promise.resolve();
      return Promise.reject(new Error(messageOf(issue, language)));
    },
  });
