import { useTranslation } from 'react-i18next';
import { operationChannels } from '#contract/operation-log.ts';

/** How the operator acted; a channel of another version is shown unchanged. */
export const Channel = ({ of }: { of: string }) => {
  const { t } = useTranslation('operationLog');
  const known = operationChannels.find((channel) => channel === of);
  return known ? t(($) => $.channel[known]) : of;
};
