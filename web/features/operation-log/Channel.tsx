import { useTranslation } from 'react-i18next';

const channels = ['web', 'api', 'timer', 'system'] as const;
/** How the operator acted; a channel of another version is shown unchanged. */
export const Channel = ({ of }: { of: string }) => {
  const { t } = useTranslation('operationLog');
  const known = channels.find((channel) => channel === of);
  return known ? t(($) => $.channel[known]) : of;
};
