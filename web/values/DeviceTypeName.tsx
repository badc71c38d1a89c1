import { useTranslation } from 'react-i18next';

const known = ['1', '2', '3', '4', '5', '6', '7'] as const;
export const DeviceTypeName = ({ type }: { type: number }) => {
  const { t } = useTranslation('common');
  const key = known.find((each) => each === String(type));
  return <span>{key ? t(($) => $.deviceTypes[key]) : type}</span>;
};
