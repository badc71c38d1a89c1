import { CloseCircleFilled } from '@ant-design/icons';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** `allowClear` of a field with a button in the reader's language, because antd's own is in English. */
export const useClear = (): { label: string; clearIcon: ReactNode } => {
  const { t } = useTranslation('common');
  const label = t(($) => $.dialog.clear);
  return useMemo(() => ({ label, clearIcon: <CloseCircleFilled aria-label={label} /> }), [label]);
};
