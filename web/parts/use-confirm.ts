import { App } from 'antd';
import { type ReactNode, useCallback } from 'react';
import { useTranslation } from 'react-i18next';

interface Question {
  title: string;
  /** Names the object of the act and its consequence. */
  content: ReactNode;
  okText: string;
  danger?: boolean;
}
/** Asks before something is deleted or switched; true if confirmed. */
export const useConfirm = (): ((question: Question) => Promise<boolean>) => {
  const { modal } = App.useApp();
  const { t } = useTranslation('common');
  return useCallback(
    async ({ title, content, okText, danger }: Question) =>
      await modal.confirm({
        title,
        content,
        okText,
        cancelText: t(($) => $.dialog.cancel),
        okButtonProps: { danger: danger ?? false },
      }),
    [modal, t],
  );
};
