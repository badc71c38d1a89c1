import type { FormRule } from 'antd';
import { deviceEndpoints } from '#contract/devices.ts';
import { isFault, sentence } from '#contract/faults/codes.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';

/** The error of an entry by the call's schema; an empty entry is no contact and has none. */
export const contactRule =
  (slot: number, field: 'name' | 'phone'): FormRule =>
  ({ getFieldValue }) => ({
    validator: () => {
      const contact: unknown = getFieldValue(['contacts', slot]);
      const parsed = deviceEndpoints.contacts.body.safeParse({
        device_id: 1,
        revision: 1,
        contacts: [contact],
      });
      const issue = parsed.error?.issues.find(({ path }) => path.at(-1) === field);
      if (!issue) return Promise.resolve();
      return Promise.reject(
        new Error(isFault(issue.message) ? sentence(issue.message, currentLanguage()) : issue.message),
      );
    },
  });
