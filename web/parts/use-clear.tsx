import { CloseCircleFilled } from '@ant-design/icons';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** `allowClear` of a field whose button is named in the reader's language: antd's own is named in English. */
export const useClear = (): { label: string; clearIcon: ReactNode } => {
  const { t } = useTranslation('common');
  const label = t(($) => $.dialog.clear);
  return useMemo(() => ({ label, clearIcon: <CloseCircleFilled aria-label={label} /> }), [label]);
};
