import { useTranslation } from 'react-i18next';

const reasons = [
  'processed',
  'unprocessed',
  'active',
  'ended',
  'recently',
  'unshelved',
  'missing',
  'changed',
] as const;

/** Why something was not done to an alarm, in the reader's words; a sentence of the server stays as it is. */
export const useRefusalWords = (): ((reason: string) => string) => {
  const { t } = useTranslation('alarms');
  return (reason) => {
    const known = reasons.find((each) => each === reason);
    return known ? t(($) => $.reason[known]) : reason;
  };
};
