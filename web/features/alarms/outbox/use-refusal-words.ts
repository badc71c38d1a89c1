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

/** Why an act on an alarm was not done, in words; a sentence of the server does not change. */
export const useRefusalWords = (): ((reason: string) => string) => {
  const { t } = useTranslation('alarms');
  return (reason) => {
    const known = reasons.find((each) => each === reason);
    return known ? t(($) => $.reason[known]) : reason;
  };
};
