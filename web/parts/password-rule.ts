import type { FormRule } from 'antd';
import { sentence } from '#contract/faults/codes.ts';
import { passwordFlaw } from '#contract/passwords.ts';
import { useSession } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';

/** The installation's policy for a new password, marked with the form's other errors. An empty one is not judged. */
export const passwordRule =
  (use: 'change' | 'add', usernameOf: (values: Record<string, unknown>) => unknown): FormRule =>
  ({ getFieldsValue }) => ({
    validator: (_, password: unknown) => {
      const policy = useSession.getState().session?.password_policy;
      if (policy === undefined || typeof password !== 'string' || password === '') return Promise.resolve();
      const flaw = passwordFlaw(policy, password, String(usernameOf(getFieldsValue()) ?? ''), use);
      return flaw === null ? Promise.resolve() : Promise.reject(new Error(sentence(flaw, currentLanguage())));
    },
  });
