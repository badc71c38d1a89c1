import { useBlocker } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from './use-confirm.ts';

interface Place {
  pathname: string;
  search: object;
}
/**
 * The search keys that select the screen. The others are state of that screen: changing them keeps its form
 * open.
 */
const screenKeys = ['tab', 'device_id', 'project_id'] as const;
const isOtherScreen = (current: Place, next: Place): boolean =>
  current.pathname !== next.pathname ||
  screenKeys.some(
    (key) =>
      (current.search as Record<string, unknown>)[key] !== (next.search as Record<string, unknown>)[key],
  );

/**
 * Asks before unsaved work is left: for another screen or tab, and when the page is closed. `onAnyChange`
 * asks at every change of the address, for a form above its screen. Returns the question, for the form's own
 * close button.
 */
export const useUnsaved = (
  isDirty: () => boolean,
  { onAnyChange = false }: { onAnyChange?: boolean } = {},
): (() => Promise<boolean>) => {
  const { t } = useTranslation('common');
  const confirm = useConfirm();
  const mayLeave = useCallback(
    () =>
      confirm({
        title: t(($) => $.dialog.unsaved),
        content: t(($) => $.dialog.unsavedText),
        okText: t(($) => $.dialog.leave),
        danger: true,
      }),
    [confirm, t],
  );
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      isDirty() && (onAnyChange || isOtherScreen(current, next)) && !(await mayLeave()),
    enableBeforeUnload: isDirty,
  });
  return mayLeave;
};
